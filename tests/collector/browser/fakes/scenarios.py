"""What the participant's page may find: a survey, its state, what the device keeps."""

from typing import Any

ANNOUNCEMENT: dict[str, Any] = {
    "version": 1,
    "id": "drinks",
    "series": "drinks",
    "title": "Which hot drink should the new machine make best?",
    "items": [
        {"name": "Tea", "description": "Black, green or herbal"},
        {"name": "Coffee"},
        {"name": "Cocoa", "description": "With oat milk if you like"},
        {"name": "Hot lemon"},
        {"name": "Chai latte", "description": "Spiced black tea with milk"},
    ],
    "protocol": "max-entropy",
    "epsilon": 1.0,
    "comes_back": False,
    "unranked": "refused",
    "joining": "open",
    "smallest_group": 20,
    "closes": "2027-03-31T16:00:00Z",
    "asked_by": "Works council of Example Ltd",
    "purpose": "The kitchen on the second floor gets a new machine. We want to know what people "
    "like, without knowing what anybody likes.",
    "contact": "council@example.org",
    "privacy_notice": "We keep the randomised answers until the survey is closed, and the result "
    "for a year. We do not keep network addresses.",
    "language": "en",
    "first_round": ["9f3c" * 16],
}

GERMAN = ANNOUNCEMENT | {
    "title": "Welches Heißgetränk soll die neue Maschine am besten können?",
    "items": [
        {"name": "Tee", "description": "Schwarz, grün oder Kräuter"},
        {"name": "Kaffee"},
        {"name": "Kakao", "description": "Auf Wunsch mit Hafermilch"},
        {"name": "Heiße Zitrone"},
        {"name": "Chai Latte", "description": "Gewürzter Schwarztee mit Milch"},
    ],
    "asked_by": "Betriebsrat der Beispiel GmbH",
    "purpose": "Die Küche im zweiten Stock bekommt eine neue Maschine. Wir möchten wissen, was "
    "gern getrunken wird, ohne zu wissen, was jemand gern trinkt.",
    "privacy_notice": "Wir bewahren die zufällig veränderten Antworten auf, bis die Umfrage "
    "geschlossen ist, und das Ergebnis ein Jahr lang. Netzadressen heben wir nicht auf.",
    "language": "de",
}

WIRE = (
    '{"assignment":"AAAAAAAAB7hZ.zJ0m3K4mF9pQvR1x",'
    '"idempotency_key":"5f0c7a4be2d8419fa6b3c07d1e2f4a58","reports":[{"version":2,"survey":"'
    + "9f3c51" * 10
    + 'abcd","question":3,"report":1}]}'
)


def scenario(**changes: Any) -> dict[str, Any]:
    """Return what the fake device finds: an open survey of which it knows nothing yet."""
    about = [{"says": "order", "items": [0, 1]}]
    names = [item["name"] for item in changes.get("announcement", ANNOUNCEMENT)["items"]]
    return {
        "announcement": ANNOUNCEMENT,
        "state": {"state": "open", "round": 0, "closes": ANNOUNCEMENT["closes"]},
        "joined": {"round": 0, "stage": "joined", "isPayable": True, "ranking": None}
        | {"asked": about, "names": names},
        "locked": {"said": about, "lieChance": 0.26894, "wire": WIRE}
        | {"isUnderWay": False, "receipt": None},
        "receipt": "6f1d2c9a77e04b18",
        "spent": {"here": 1.5, "all": 2.5, "limit": 8},
    } | changes
