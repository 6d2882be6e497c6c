"""Words in the names of columns, and what they say of what is in them."""

import re
import unicodedata
from functools import lru_cache

__all__ = [
    "ACTION",
    "BESIDES",
    "END",
    "FRAMES",
    "GROUP",
    "HUMP",
    "INSTANCE",
    "LABEL",
    "LENGTH",
    "MEDIA",
    "NO_ACTION",
    "NO_INSTANCE",
    "NUMBERED",
    "NUMBERING",
    "START",
    "SUBJECT",
    "TRACK",
    "UNITS",
    "words_of",
]


def _in_order(words: str) -> tuple[str, ...]:
    return tuple(words.split())


START = frozenset(
    _in_order(
        "start starts started starting begin begins beginning onset from init tmin xmin anfang "
        "entry enter entered beginn von inicio debut 开始 开始时间 起始时间 開始 開始時間"
    )
)
END = frozenset(
    _in_order(
        "end ends ended ending stop stops stopped offset to until till finish finished complete "
        "completed tmax xmax exit exited ende bis fin fim terminate "
        "结束 结束时间 終了 結束 結束時間"
    )
)
LENGTH = frozenset(_in_order("duration dur length len spent dauer duracion duree"))
# what names of times say besides: of what, or in which form
BESIDES = frozenset(
    _in_order(
        "time times timestamp timestamps timecode date datetime day clock hh hhmmss mm ss hms "
        "position pos t at of the video audio media label event segment seg interval annotation "
        "action activity behavior behaviour utc local clip tc file relative rel absolute abs sf "
        "unix epoch chapter tempo tiempo temps"
    )
)
FRAMES = frozenset(_in_order("frame frames frm fid sample samples index idx"))
UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds", "millis"), 0.001),
    **dict.fromkeys(("usec", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
# words that name a column of actions, the surest first
ACTION = _in_order(
    "action behavior behaviour verhalten handlung conducta comportement gesture event "
    "activity aktivitat activite actividad atividade tatigkeit 动作 行为 活动 行動 operation "
    "annotation label labels stage class classname category task trial state phase skill step "
    "verb predicate sensor call species word phone phoneme note chord tag text display "
    "transcription transcript utterance narration description desc sentence caption subtitle "
    "sub gloss sign content lyrics location query question q heading name type kind what code "
    "value level device id speaker"
)
INSTANCE = _in_order(
    "instance recording rec observation take video videoname vid file filename filepath wav "
    "path clip youtube ytid session meeting dialogue conversation case movie episode match "
    "experiment exp aufnahme datei sitzung fichier enregistrement archivo grabacion sesion"
)
# these may also number the rows
NUMBERED = _in_order("sequence seq segment trial record run sample")
SUBJECT = _in_order(
    "subject participant person user patient animal individual resident actor child speaker"
)
# columns that speak of the use of the data, and not of what is done
NO_ACTION = frozenset(_in_order("split subset fold partition url link comment notes remark"))
NO_INSTANCE = frozenset(
    _in_order("date duration description length type kind class onset offset stim stimulus")
)
LABEL = _in_order("label activity task scene scenario condition")
GROUP = ("group",)
TRACK = ("tier", "track", "channel")
NUMBERING = frozenset(_in_order("id ids no nr number num idx index code"))
# names of media are names of recordings
MEDIA = re.compile(r".*\.(wav|mp3|mp4|m4a|flac|ogg|avi|mkv|mov|webm|mpe?g|wmv|jpe?g|png)|video_\w+")
USUAL_NAME = 100  # characters
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# words that names run together, as "Starttime" and "audiofilename"
JOINED = re.compile(
    r"\b(start|begin|end|stop|onset|offset|finish)(?=(?:time|timestamp|frame|sec|seconds|ms)\b)"
    r"|\b(audio|video|media|sound|raw)(?=(?:file|filename|name|id|path)\b)"
)
STAMP = re.compile(r"\btime[ .-]stamp")


def words_of(name: str) -> list[str]:
    """Words of the name of a column, in small letters without accents.

    Examples
    --------
    >>> words_of("Start..s."), words_of("timestampStart"), words_of("t0"), words_of("Début")
    (['start', 's'], ['timestamp', 'start'], ['t0'], ['debut'])
    >>> words_of("Endtime"), words_of("audio_filename")
    (['end', 'time'], ['audio', 'filename'])
    """
    return list(_usual_words_of(name) if len(name) <= USUAL_NAME else _find_words(name))


def _find_words(name: str) -> tuple[str, ...]:
    spaced = HUMP.sub(" ", name).casefold().replace("_", " ")
    decomposed = unicodedata.normalize("NFKD", spaced)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return tuple(re.findall(r"[^\W_]+", JOINED.sub(r"\g<0> ", STAMP.sub("timestamp", plain))))


_usual_words_of = lru_cache(1000)(_find_words)  # as a file repeats few names in many objects
