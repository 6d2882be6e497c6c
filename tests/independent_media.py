"""Plain parsers of samples in the manner of clouds, logs of objects, subtitles and proposals.

They share nothing with the readers, and give intervals as (action, start, end).
"""

import json


def _json(path):
    return json.loads(path.read_text())


def labels_of_clouds(path):
    for label in _json(path)["annotationResults"][0]["segmentLabelAnnotations"]:
        for each in label["segments"]:
            ends = (each["segment"][f"{end}TimeOffset"] for end in ("start", "end"))
            yield label["entity"]["description"], *(float(end.rstrip("s")) for end in ends)


def words_of_clouds(path):
    for word in _json(path)["results"][0]["alternatives"][0]["words"]:
        ends = []
        for end in ("start", "end"):
            if f"{end}Offset" in word:
                ends.append(float(word[f"{end}Offset"].rstrip("s")))
            else:
                parts = word[f"{end}Time"]
                ends.append(int(parts.get("seconds", 0)) + parts.get("nanos", 0) / 1e9)
        yield word["word"], *ends


def answers_of_videos(path):
    for video in _json(path).values():
        for question, spans in video["location"].items():
            for start, end in spans:
                yield f"location {question}", start, end


# by the path of the sample
PARSERS = {
    "json/labels_of_clouds.json": labels_of_clouds,
    "json/seconds_and_nanos.json": words_of_clouds,
    "json/since_the_start.json": words_of_clouds,
    "json/answers_of_videos.json": answers_of_videos,
}
