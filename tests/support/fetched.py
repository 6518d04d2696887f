"""Felts as a page fetches them: every one that a terminal under the rulebooks of this house may have."""

import json
from typing import Any, Final

from croupier.rulebooks.loader import rulebook_ids
from croupier.server.views.felt import felts_of
from tests.conftest import venue

Fetched = dict[str, Any]


def _fetched() -> dict[str, Fetched]:
    return {
        f"{name}-{place}": json.loads(felt.body)
        for name in rulebook_ids()
        for place, felt in enumerate(felts_of(venue(name)))
    }


#: By rulebook, and their place among those that it has: the first is the one without a model.
FETCHED: Final = _fetched()
