"""All attacks."""

from attack.command_lines import COMMAND_LINES
from attack.data_files import DATA_FILES
from attack.disks import DISKS
from attack.kills import KILLS
from attack.model_files import MODEL_FILES
from attack.names import NAMES
from attack.races import RACES

ATTACKS = (DATA_FILES, COMMAND_LINES, MODEL_FILES, NAMES, KILLS, RACES, DISKS)
