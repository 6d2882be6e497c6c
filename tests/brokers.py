"""A broker of MQTT for tests, which can be killed and started again."""

import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

ANSWERS = 15.0  # seconds


def find_mosquitto():
    """Path of the broker; Debian has it where only root looks."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Broker:
    """Mosquitto, which keeps sessions and messages in a folder."""

    def __init__(self, folder: Path):
        self.folder, self.port = folder, free_port()
        self.process = None
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n"
            f"persistence true\npersistence_location {folder}/\nautosave_interval 1\n"
            "autosave_on_changes true\nmax_queued_messages 0\n"
        )

    def start(self):
        self.process = subprocess.Popen(
            [find_mosquitto(), "-c", self._config],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + ANSWERS
        while time.monotonic() < end:
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", self.port)):
                    return
            time.sleep(0.02)
        raise TimeoutError("mosquitto does not answer")

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=ANSWERS)
            self.process = None


def skip_without_mosquitto():
    if not find_mosquitto():
        pytest.skip("mosquitto is not installed")
    pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is not installed")
