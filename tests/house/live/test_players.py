"""Players with chips: partnerships, marker buttons, infringements and adjustments."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from croupier.house.floor.settings import marker_rims
from croupier.house.floor.setup import AddTable
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.ids import Number, PositionId, TableId
from croupier.house.live.arrangements import (
    AdjustChips,
    AdmitPlayer,
    BarPlayer,
    ChipsAdjusted,
    DesignateMarkers,
    InfringementNoted,
    MarkersDesignated,
    NoteInfringement,
    PlayerAdmitted,
    PlayerBarred,
    require_admitted,
)
from croupier.house.live.partners import LinkPlayers, PlayersLinked, PlayersUnlinked, UnlinkPlayers
from croupier.house.live.seats_and_colours import LeaveTable, SeatPlayer
from croupier.house.play.chip_bets import PlaceChips, partners_of
from croupier.house.settings import LiveSettings, TableSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import InfringementKind
from croupier.rules.refusal import Refused
from croupier.transcripts.driver import device_of
from tests.house.live.test_chips import P1, P2, SETTINGS, Pit
from tests.support.audited import breaks, context_of
from tests.support.house_driver import ADELAIDE, TABLE, US, refused

P3, P9 = PositionId(3), PositionId(9)
TOUCHED, OUTSIDE = InfringementKind.TOUCHED, InfringementKind.TOUCHED_OUTSIDE


@pytest.fixture
def pit() -> Pit:
    """Three players at a live table in Adelaide."""
    pit = Pit()
    pit.deal(SeatPlayer(TABLE, "three"))
    return pit


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_partners_are_linked(pit: Pit) -> None:
    """An inspector links players; a third one joins with all of the group, and unlinking ends it for all."""
    link = LinkPlayers(TABLE, (P1, P2))
    assert pit.refuses(link) == ("not_authorised", "11(c)")
    assert pit.deal(link, pit.inspector) == (PlayersLinked(TABLE, Number(1), (P1, P2)),)
    assert partners_of(pit.live, P1) == (P1, P2)
    assert partners_of(pit.live, P3) == ()
    assert pit.refuses(link, pit.inspector) == ("already_there", "12(e) first")
    assert pit.deal(LinkPlayers(TABLE, (P3, P2)), pit.inspector) == (PlayersLinked(TABLE, Number(2), (P1, P2, P3)),)
    assert pit.refuses(UnlinkPlayers(TABLE, Number(1)), pit.inspector) == ("nothing_there", "12(e) first")
    assert pit.deal(UnlinkPlayers(TABLE, Number(2)), pit.inspector) == (PlayersUnlinked(TABLE, Number(2)),)
    assert partners_of(pit.live, P1) == ()
    pit.check()


@pytest.mark.clause(ADELAIDE, "12(e) first")
def test_partners_are_two_players_of_the_table(pit: Pit) -> None:
    """One player is no partnership, and a player who left is not linked."""
    assert pit.refuses(LinkPlayers(TABLE, (P1, P1)), pit.inspector) == ("malformed", None)
    assert pit.refuses(LinkPlayers(TABLE, (P1, P9)), pit.inspector) == ("unknown_record", "12(e) first")
    pit.deal(LinkPlayers(TABLE, (P1, P2)), pit.inspector)
    pit.deal(LeaveTable(TABLE, P2))
    pit.deal(LinkPlayers(TABLE, (P1, P3)), pit.inspector)
    assert partners_of(pit.live, P1) == (P1, P3)
    pit.deal(SeatPlayer(TABLE, "four"))
    pit.deal(UnlinkPlayers(TABLE, Number(2)), pit.inspector)
    assert partners_of(pit.live, P3) == ()
    pit.check()


@pytest.mark.clause(US, "Placement 1")
def test_rules_without_partnerships_and_infringements_have_none() -> None:
    """The US rules limit no partners, have no marker buttons, and list no infringement."""
    pit = Pit(US, replace(SETTINGS, limits=TableSettings().limits))
    assert pit.refuses(LinkPlayers(TABLE, (P1, P2)), pit.inspector) == ("setting_impossible", None)
    assert pit.refuses(DesignateMarkers(TABLE, P1, on=True), pit.inspector) == ("call_not_offered", "Placement 1")
    assert pit.refuses(NoteInfringement(TABLE, P1, TOUCHED)) == ("reason_not_listed", None)
    assert pit.refuses(BarPlayer(TABLE, P1, "No."), pit.inspector) == ("setting_impossible", None)
    assert pit.refuses(AdmitPlayer(TABLE, P1), pit.inspector) == ("nothing_there", None)


@pytest.mark.clause(ADELAIDE, "12(a)")
def test_players_are_designated_for_marker_buttons(pit: Pit) -> None:
    """An inspector designates a player for marker buttons, and withdraws it."""
    on, off = DesignateMarkers(TABLE, P1, on=True), DesignateMarkers(TABLE, P1, on=False)
    assert pit.refuses(off, pit.inspector) == ("already_there", "12(a)")
    assert pit.deal(on, pit.inspector) == (MarkersDesignated(TABLE, P1, on=True),)
    assert pit.live.players[P1].markers_allowed
    pit.check()
    pit.deal(off, pit.inspector)
    assert not pit.live.players[P1].markers_allowed
    pit.check()


@pytest.mark.clause(ADELAIDE, "12(d)")
@pytest.mark.clause(ADELAIDE, "12(c)")
def test_third_infringement_lets_the_dealer_refuse_bets(pit: Pit) -> None:
    """A bet touched too early counts under 12(c) or 12(d); at the third the dealer may bar, an inspector always."""
    bar = BarPlayer(TABLE, P1, "Touched the bets three times.")
    assert pit.deal(NoteInfringement(TABLE, P1, OUTSIDE)) == (InfringementNoted(TABLE, P1, OUTSIDE, "12(c)", 1),)  # type: ignore[arg-type]
    assert pit.deal(NoteInfringement(TABLE, P1, TOUCHED)) == (InfringementNoted(TABLE, P1, TOUCHED, "12(d)", 2),)  # type: ignore[arg-type]
    assert pit.refuses(bar) == ("not_authorised", "12(d)")
    pit.deal(NoteInfringement(TABLE, P1, TOUCHED))
    assert pit.refuses(BarPlayer(TABLE, P1, " ")) == ("reason_not_listed", "12(d)")
    (barred,) = pit.deal(bar)
    assert isinstance(barred, PlayerBarred)
    assert barred.clause == "12(d)"
    with pytest.raises(Refused) as objection:
        require_admitted(pit.live.players[P1])
    assert (objection.value.refusal.code, objection.value.refusal.clause) == ("player_barred", "12(d)")
    assert pit.refuses(bar) == ("already_there", "12(d)")
    pit.deal(BarPlayer(TABLE, P2, "At once."), pit.inspector)
    pit.check()

    assert pit.refuses(AdmitPlayer(TABLE, P1)) == ("not_authorised", "11(c)")
    assert pit.deal(AdmitPlayer(TABLE, P1), pit.inspector) == (PlayerAdmitted(TABLE, P1),)
    assert pit.live.players[P1].infringements == 0
    require_admitted(pit.live.players[P1])
    assert pit.refuses(AdmitPlayer(TABLE, P1), pit.inspector) == ("nothing_there", "12(d)")
    pit.check()


@pytest.mark.clause(ADELAIDE, "12(l)")
def test_device_bars_a_player_until_admitted(pit: Pit) -> None:
    """A prohibited device bars its player at once under 12(l), and only once, until an inspector admits them."""
    device = NoteInfringement(TABLE, P1, InfringementKind.DEVICE)
    noted, barred = pit.deal(device)
    assert noted == InfringementNoted(TABLE, P1, InfringementKind.DEVICE, "12(l)", 0)  # type: ignore[arg-type]
    assert barred == PlayerBarred(TABLE, P1, "12(l)", "Device.")  # type: ignore[arg-type]
    assert len(pit.deal(device)) == 1
    assert pit.live.players[P1].barred == "12(l)"
    pit.deal(AdmitPlayer(TABLE, P1), pit.inspector)
    assert pit.live.players[P1].barred is None
    pit.check()


@pytest.mark.clause(ADELAIDE, "6(m)")
def test_bet_names_no_counterparty() -> None:
    """A bet is against the house: a command that places chips and names another player is malformed."""
    bet = {"type": "PlaceChips", "table": TABLE, "position": 1, "bets": [["red", 1]], "chip": "v500"}
    decoder = msgspec.json.Decoder(PlaceChips)
    assert decoder.decode(msgspec.json.encode(bet)).position == 1
    with pytest.raises(msgspec.ValidationError, match="counterparty"):
        decoder.decode(msgspec.json.encode({**bet, "counterparty": 2}))


@pytest.mark.clause(ADELAIDE, "6(m)")
def test_side_bet_is_recorded(pit: Pit) -> None:
    """A bet between players is recorded under 6(m); no command places one, as a bet has no field for a counterparty."""
    kind = InfringementKind.SIDE_BET
    assert pit.deal(NoteInfringement(TABLE, P1, kind)) == (InfringementNoted(TABLE, P1, kind, "6(m)", 0),)  # type: ignore[arg-type]
    pit.check()


@pytest.mark.clause(ADELAIDE, "12(i)")
def test_chips_are_adjusted_by_two_people(pit: Pit) -> None:
    """Two people pay 35 from the float after a dispute, or take it back; the ledger has it as an adjustment."""
    pit.signed(AdjustChips(TABLE, P1, 3_500, "A bet was missed."), "pit boss", pit.chief)
    assert pit.balance(LedgerAccount.FLOATS) == -(500_00 - 35_00)
    assert pit.balance(LedgerAccount.ADJUSTMENTS) == -35_00
    pit.check()
    done = pit.signed(AdjustChips(TABLE, P1, -3_500, "Paid twice."), "pit boss", pit.chief)
    assert done == (ChipsAdjusted(TABLE, P1, -3_500, "12(i)", "Paid twice."),)  # type: ignore[arg-type]
    assert pit.balance(LedgerAccount.ADJUSTMENTS) == 0
    pit.check()


@pytest.mark.parametrize(
    ("amount", "words", "expected"),
    [
        (0, "Why?", ("malformed", None)),
        (500, " ", ("reason_not_listed", "12(i)")),
        (50, "Half.", ("not_whole_chips", "12(i)")),
    ],
)
def test_adjustment_is_whole_chips_of_the_float_with_a_reason(
    pit: Pit, amount: int, words: str, expected: tuple[str, str | None]
) -> None:
    """An adjustment has an amount, a reason, and is paid in whole chips of the float."""
    assert pit.refuses(AdjustChips(TABLE, P1, amount, words), "pit boss") == expected


def test_adjustment_of_more_than_the_float_has(pit: Pit) -> None:
    """An adjustment that the float cannot pay is refused with the second signature: the float is counted blind."""
    (made,) = pit.deal(AdjustChips(TABLE, P1, 501_00, "More."), "pit boss")
    assert isinstance(made, ProposalMade)
    assert pit.refuses(Approve(made.proposal), pit.chief) == ("float_short", "9(e)")


def test_adjustment_needs_an_open_float() -> None:
    """While the float is closed no chips are adjusted."""
    pit = Pit(ready=False)
    pit.deal(SeatPlayer(TABLE))
    adjust = AdjustChips(TABLE, P1, 500, "A bet was missed.")
    assert pit.refuses(adjust, "pit boss") == ("float_not_open", "9(e)")


@pytest.mark.parametrize(
    "command",
    [
        DesignateMarkers(TABLE, P9, on=True),
        NoteInfringement(TABLE, P9, TOUCHED),
        BarPlayer(TABLE, P9, "Words."),
        AdmitPlayer(TABLE, P9),
        AdjustChips(TABLE, P9, 500, "Words."),
    ],
)
def test_command_names_a_player_of_the_table(pit: Pit, command: Any) -> None:  # noqa: ANN401 - one of several
    """A command about a position without a player is refused."""
    assert pit.refuses(command, "shift manager") == ("unknown_record", "6(a)")


def test_stand_alone_table_has_no_partners() -> None:
    """At a table without chips no players are linked or unlinked."""
    pit = Pit(ADELAIDE, TableSettings(), ready=False)
    for command in (LinkPlayers(TABLE, (P1, P2)), UnlinkPlayers(TABLE, Number(1))):
        assert pit.refuses(command, pit.inspector) == ("chips_not_taken", "5.7(a)")


@pytest.mark.clause(ADELAIDE, "5.2(a)")
def test_marker_buttons_match_the_wheel() -> None:
    """Button 17 has 2, 25, 34 and 6 on its rim; with 27 on the rim, or for no number of the wheel, it is refused."""
    pit = Pit()
    rims = marker_rims(pit.rulebook)
    assert len(rims) == 37
    assert rims[Pocket("17")] == ("2", "25", "34", "6")
    assert rims[Pocket("0")] == ("3", "26", "32", "15")

    def adds(*buttons: str) -> Any:  # noqa: ANN401 - an answer
        live = LiveSettings(emblem="wave", marker_buttons=buttons)
        return pit.ask(AddTable(TableId("table 2"), pit.rulebook.digest, replace(SETTINGS, live=live)))

    assert refused(adds("17: 2 25 34 27")) == ("marker_button_wrong", "5.2(a)")
    assert refused(adds("0: 3 26 32 15", "37: 1 2 3 4")) == ("marker_button_wrong", "5.2(a)")
    assert isinstance(adds("17: 6 34 25 2", "0: 3 26 32 15"), tuple)


def test_marker_buttons_are_refused_where_there_are_none() -> None:
    """The US table has no marker buttons."""
    pit = Pit(US, replace(SETTINGS, limits=TableSettings().limits))
    live = LiveSettings(emblem="wave", marker_buttons=("17: 5 22 32 20",))
    adds = AddTable(
        TableId("table 2"), pit.rulebook.digest, replace(SETTINGS, live=live, limits=TableSettings().limits)
    )
    assert refused(pit.ask(adds)) == ("marker_button_wrong", "Placement 1")


@pytest.mark.parametrize(
    "event",
    [
        PlayersLinked(TABLE, Number(1), (P1, P9)),
        PlayersUnlinked(TABLE, Number(4)),
        MarkersDesignated(TABLE, P1, on=False),
        InfringementNoted(TABLE, P1, TOUCHED, "12(c)", 1),  # type: ignore[arg-type]
        PlayerBarred(TABLE, P1, "6(a)", ""),  # type: ignore[arg-type]
        PlayerAdmitted(TABLE, P1),
        ChipsAdjusted(TABLE, P1, 501_00, "12(i)", ""),  # type: ignore[arg-type]
    ],
)
def test_auditor_detects_a_wrong_event(pit: Pit, event: Any) -> None:  # noqa: ANN401 - one of several
    """The auditor finds an event about players that the rules do not allow."""
    hears = NoteInfringement(TABLE, P1, TOUCHED)
    breaks("I25", lambda: pit.auditor.on_decision(hears, context_of(pit, device_of(pit.dealer), pit.dealer), (event,)))


@pytest.mark.parametrize("settings", [TableSettings(), SETTINGS])
def test_auditor_detects_chips_without_a_float(settings: TableSettings) -> None:
    """The auditor finds an adjustment of chips at a table without chips, or while the float is closed."""
    pit = Pit(ADELAIDE, settings, ready=False)
    hears, event = NoteInfringement(TABLE, P1, TOUCHED), ChipsAdjusted(TABLE, P1, 500, "12(i)", "")  # type: ignore[arg-type]
    breaks("I25", lambda: pit.auditor.on_decision(hears, context_of(pit, device_of(pit.dealer), pit.dealer), (event,)))
