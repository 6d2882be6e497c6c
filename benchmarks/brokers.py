"""A broker of MQTT for measurements and tests, which can be stopped and started again."""

import shutil
import socket
import subprocess
import time
from pathlib import Path

ANSWERS = 120.0  # seconds; only a broker that hangs takes so long


def find_mosquitto() -> str | None:
    """Path of the broker; Debian has it where only root looks."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Broker:
    """Mosquitto, which keeps sessions and messages in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n"
            f"persistence true\npersistence_location {folder}/\nmax_queued_messages 0\n"
        )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.process = subprocess.Popen(
            [find_mosquitto() or "mosquitto", "-c", str(self._config)],
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

    def stop(self) -> None:
        """End it; it saves sessions and messages."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(timeout=ANSWERS)
            self.process = None
