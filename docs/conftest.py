"""What of this folder holds no tests: what `make docs` made, and what needs Sphinx."""

collect_ignore = ["_extensions", "api/generated", "conf.py", "gallery", "make_notebooks.py"]
