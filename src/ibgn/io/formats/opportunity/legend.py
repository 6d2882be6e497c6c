"""What the columns and codes of the Opportunity data set mean."""

from collections.abc import Iterator, Sequence

__all__ = ["ACTIVITY", "CHANNELS", "LEGEND", "TRACKS", "WIDTH"]

ACTIVITY = "HL_Activity"


def _axes(quantity: str) -> list[str]:
    return [f"{quantity}{axis}" for axis in "XYZ"]


def _channels() -> Iterator[str]:
    """Names of the channels. The data set calls all three axes accX; here they are X, Y and Z."""
    body = "RKN^ HIP LUA^ RUA_ LH BACK RKN_ RWR RUA^ LUA_ LWR RH"
    objects = "CUP SALAMI WATER CHEESE BREAD KNIFE1 MILK SPOON SUGAR KNIFE2 PLATE GLASS"
    room = "DOOR1 LAZYCHAIR DOOR2 DISHWASHER UPPERDRAWER LOWERDRAWER MIDDLEDRAWER FRIDGE"
    inertial = [*_axes("acc"), *_axes("gyro"), *_axes("magnetic")]
    inertial += [f"Quaternion{number}" for number in range(1, 5)]
    shoe = [*_axes("Eu"), *(f"{frame}_A{axis}" for frame in ("Nav", "Body") for axis in "xyz")]
    shoe += [*_axes("AngVelBodyFrame"), *_axes("AngVelNavFrame"), "Compass"]
    switches = (
        "DISHWASHER S1,FRIDGE S3,FRIDGE S2,FRIDGE S1,MIDDLEDRAWER S1,MIDDLEDRAWER S2,"
        "MIDDLEDRAWER S3,LOWERDRAWER S3,LOWERDRAWER S2,UPPERDRAWER,DISHWASHER S3,LOWERDRAWER S1,"
        "DISHWASHER S2"
    )
    yield from _each("Accelerometer", body.split(), _axes("acc"))
    yield from _each("InertialMeasurementUnit", ["BACK", "RUA", "RLA", "LUA", "LLA"], inertial)
    yield from _each("InertialMeasurementUnit", ["L-SHOE", "R-SHOE"], shoe)
    yield from _each("Accelerometer", objects.split(), [*_axes("acc"), "gyroX", "gyroY"])
    yield from (f"REED SWITCH {switch}" for switch in switches.split(","))
    yield from _each("Accelerometer", room.split(), _axes("acc"))
    yield from _each("LOCATION", [f"TAG{number}" for number in range(1, 5)], list("XYZ"))


def _each(kind: str, places: Sequence[str], quantities: Sequence[str]) -> Iterator[str]:
    return (f"{kind} {place} {quantity}" for place in places for quantity in quantities)


def _legend() -> dict[str, dict[int, str]]:
    """Names of the codes of each track, in the order of the columns; 0 is no label."""
    verbs = "unlock stir lock close reach open sip clean bite cut spread release move"
    objects = (
        "Bottle,Salami,Bread,Sugar,Dishwasher,Switch,Milk,Drawer3 (lower),Spoon,Knife cheese,"
        "Drawer2 (middle),Table,Glass,Cheese,Chair,Door1,Door2,Plate,Drawer1 (top),Fridge,Cup,"
        "Knife salami,Lazychair"
    )
    activities = "Relaxing,Coffee time,Early morning,Cleanup,Sandwich time"
    doors = {516: "Door 1", 517: "Door 2", 520: "Fridge", 505: "Dishwasher"}
    doors |= {519: "Drawer 1", 511: "Drawer 2", 508: "Drawer 3"}
    both = {406_000 + code: f"Open {name}" for code, name in doors.items()}
    both |= {404_000 + code: f"Close {name}" for code, name in doors.items()}
    both |= {408512: "Clean Table", 407521: "Drink from Cup", 405506: "Toggle Switch"}
    return {
        "Locomotion": {1: "Stand", 2: "Walk", 4: "Sit", 5: "Lie"},
        ACTIVITY: dict(enumerate(activities.split(","), 101)),
        "LL_Left_Arm": dict(enumerate(verbs.split(), 201)),
        "LL_Left_Arm_Object": dict(enumerate(objects.split(","), 301)),
        "LL_Right_Arm": dict(enumerate(verbs.split(), 401)),
        "LL_Right_Arm_Object": dict(enumerate(objects.split(","), 501)),
        "ML_Both_Arms": both,
    }


CHANNELS = tuple(_channels())
LEGEND = _legend()
WIDTH = 1 + len(CHANNELS) + len(LEGEND)
TRACKS = tuple(track for track in LEGEND if track != ACTIVITY)
