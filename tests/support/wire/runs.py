"""Scripted runs over the wire: one at every venue, in which as many different things happen as its rules know."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from msgspec import to_builtins

from croupier.house.ids import SECOND, TableId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from tests.support.page import Said
from tests.support.server_harness import PageClient, ServerHarness
from tests.support.wire.houses import ADELAIDE, CLEARWATER, DOUBLE_ZERO, MARINA


@dataclass
class Actors:
    """Two players, and the staff of a run, each at a console."""

    one: PageClient
    two: PageClient
    dealer: PageClient
    boss: PageClient
    chief: PageClient
    cashier: PageClient


async def connect_actors(harness: ServerHarness, table: str) -> Actors:
    """Let everybody in, and have a board above them."""
    players = (await harness.player(table), await harness.player(table))
    dealer = await harness.staff("dealer", "dealer")
    managers = (await harness.staff("pit", "boss"), await harness.staff("pit", "chief"))
    cashier = await harness.staff("cashier", "cashier")
    await harness.staff("auditor", "auditor")
    await harness.connect("board", join="")
    await harness.check()
    return Actors(*players, dealer, *managers, cashier)


async def held_wins(harness: ServerHarness, players: int = 1) -> Actors:
    """Connect the actors at table C, where one player or both win enough on 17 for the win to be held."""
    pit = await connect_actors(harness, "C")
    await harness.does(pit.dealer, "OpenBets", table="C")
    for player in (pit.one, pit.two)[:players]:
        await harness.plays(player, "PlaceBets", "C", bets=[["17", 5_000]])
    await harness.wheel(BallLaunched(TableId("C")))
    await harness.passes(6)
    await harness.wheel(BallAtRest(TableId("C"), Pocket("17")))
    return pit


async def _chips(harness: ServerHarness, player: PageClient, table: str) -> None:
    """Chips are placed and moved in every way that all venues know."""
    await harness.plays(player, "PlaceBets", table, bets=[["17", 200], ["17/20", 100]])
    await harness.plays(player, "ChangeBet", table, spot="17", stake=300)
    await harness.plays(player, "MoveBet", table, source="17", target="20")
    if table == "U":
        await harness.misplays(player, "stake_over_maximum", "DoubleBets", table)
    else:
        await harness.plays(player, "DoubleBets", table)
    await harness.plays(player, "UndoBet", table)
    await harness.plays(player, "RemoveBets", table, spots=["17/20"])
    await harness.misplays(player, "nothing_there", "RemoveBets", table, spots=["17/20"])
    await harness.plays(player, "ClearBets", table)
    await harness.plays(player, "PlaceBets", table, bets=[["17", 400], ["red", 200]])


async def _settings(harness: ServerHarness, pit: Actors, table: str, **more: int) -> None:
    """Two people change the limits from the next round on."""
    settings = to_builtins(harness.house.tables[TableId(table)].settings)
    settings |= {"limits": {"spot": {"least": 200, "most": 300}}, "history_shown": 1, **more}
    await harness.twice(pit.boss, pit.chief, "ChangeSettings", table=table, settings=settings, words="A quiet night.")


async def _paper(harness: ServerHarness, pit: Actors, player: PageClient) -> str:
    """Credits become paper, and paper credits or cash; tell the number on the paper."""
    await harness.checked(await player.response(player.says("cash_out")))
    await harness.twice(pit.boss, pit.chief, "VoidTicket", sequence=slip(player)["sequence"], words="It is jammed.")
    await harness.checked(await player.response(player.says("cash_out")))
    sequence, number = slip(player)["sequence"], slip(player)["number"]
    await harness.does(player, "ConfirmPrint", terminal=player.device, sequence=sequence)
    await harness.twice(pit.boss, pit.chief, "ReprintTicket", sequence=sequence, words="It is torn.")
    await harness.does(pit.cashier, "ReportLost", sequence=sequence, words="It is not to be found.")
    await harness.does(pit.cashier, "OpenDrawer", drawer="D1", float_=10_000_000)
    await harness.checked(await pit.cashier.response(pit.cashier.says("redeem", drawer="D1", number=number)))
    again = await pit.cashier.response(pit.cashier.says("redeem", drawer="D1", number=number))
    await harness.checked(again, "ticket_paid")
    await harness.does(pit.cashier, "CountDrawer", drawer="D1", counted=5)
    await harness.twice(pit.cashier, pit.boss, "CloseDrawer", drawer="D1")
    return str(number)


def slip(player: PageClient) -> Said:
    """The last slip or ticket that came out of a terminal's printer."""
    return next(frame for frame in reversed(player.log) if frame["t"] == "slip")


async def _records(harness: ServerHarness, pit: Actors, table: str) -> None:
    """What goes on record anywhere: incidents, messages, disputes, closings, people."""
    await harness.does(pit.dealer, "NoteIncident", subject=table, words="A glass fell over.")
    await harness.does(pit.dealer, "ClearIncident", incident=len(harness.house.incidents.all))
    await harness.does(pit.dealer, "SendMessage", terminals=[], words="Last round in ten minutes.")
    await harness.fails(pit.dealer, "unknown_terminal", "SendMessage", terminals=["nowhere"], words="Hello.")
    await harness.does(pit.cashier, "PrintRules", table=table)
    disputed = {"terminal": None, "basis": "not_covered", "words": "It was red.", "memorandum": "1"}
    await harness.does(pit.boss, "OpenDispute", table=table, round=1, **disputed)
    await harness.does(pit.boss, "DecideDispute", dispute=1, decision="It was black.")
    await harness.does(pit.boss, "AdviseComplainant", dispute=1)
    await harness.does(pit.boss, "CloseDispute", dispute=1, resolved=True)
    await harness.does(pit.boss, "NotifyOfficer", subject=table, words="The table closes early.")
    await harness.passes(1)
    await harness.does(pit.boss, "CloseTable", table=table, words="The felt is worn.")
    await harness.does(pit.boss, "ReopenTable", table=table)
    await harness.twice(pit.boss, pit.chief, "EnrolPerson", person="new", titles=["Auditor"])
    await harness.twice(pit.boss, pit.chief, "UnlockAccount", person="new")
    await harness.does(pit.boss, "ReleasePerson", person="new")
    acting = {
        "person": "dealer",
        "title": "Auditor",
        "begins_at": harness.house.now,
        "ends_at": harness.house.now + SECOND,
    }
    await harness.twice(pit.boss, pit.chief, "AppointActing", **acting)
    await harness.twice(pit.boss, pit.chief, "ApproveBuild", version="0.1", reference="none")
    await harness.does(pit.boss, "EnrolDevice", device="another")
    await harness.does(pit.boss, "Withdraw", proposal=harness.house.proposals.made)


async def adelaide(harness: ServerHarness) -> None:
    """Resets, cases, referrals, corrections, slips, and a terminal that goes dark."""
    pit = await connect_actors(harness, "A")
    await _stays_up(harness, pit)
    await _no_spin(harness, pit)
    await _cases(harness, pit)
    await _interrupted(harness, pit)
    await _settings(harness, pit, "A")
    await _referrals(harness, pit)
    await _terminals(harness, pit)
    await _paper(harness, pit, pit.two)
    await _records(harness, pit, "A")


async def _stays_up(harness: ServerHarness, pit: Actors) -> None:
    """A winning stake stays up, and comes down with a wrong number."""
    await harness.does(pit.dealer, "OpenBets", table="A")
    await _chips(harness, pit.one, "A")
    await harness.misplays(pit.two, "stake_under_minimum", "PlaceBets", "A", bets=[["red", 50]])
    await harness.plays(pit.two, "PlaceBets", "A", bets=[["black", 500]])
    await harness.misplays(pit.two, "call_not_offered", "PressNeighbours", "A")
    await harness.does(pit.dealer, "FinishBetting", table="A")
    await harness.passes(6)
    await harness.misplays(pit.two, "bets_closed", "ClearBets", "A")
    await harness.spin("A", "17")
    await harness.fails(pit.dealer, "numbers_differ", "ConfirmResult", table="A", pocket="18")
    await harness.does(pit.dealer, "ConfirmResult", table="A", pocket="17")
    assert pit.one.page.game("A")["bets"] == {"17": 400}
    await harness.twice(pit.boss, pit.chief, "CorrectResult", table="A", round=1, pocket="20", words="Misread.")
    assert pit.one.page.game("A")["bets"] == {}


async def _no_spin(harness: ServerHarness, pit: Actors) -> None:
    await harness.does(pit.dealer, "OpenBets", table="A")
    await harness.plays(pit.one, "RepeatBets", "A")
    await harness.plays(pit.two, "PlaceBets", "A", bets=[["8", 500]])
    await harness.does(pit.boss, "RaiseMalfunction", terminal=pit.two.device, fault="opinion", words="It flickers.")
    await harness.does(pit.boss, "ClearCase", case=1)
    await harness.does(pit.dealer, "CloseBets", table="A")
    await harness.passes(6)
    await harness.does(pit.dealer, "SpinBall", table="A")
    await harness.does(pit.dealer, "CallNoSpin", table="A", reason="foreign_object", ball_removed=True)
    await harness.does(pit.dealer, "ResetTerminals", table="A")


async def _cases(harness: ServerHarness, pit: Actors) -> None:
    """Sealed bets in question wait beside the round, and are confirmed or void."""
    await harness.plays(pit.one, "PlaceBets", "A", bets=[["5", 500]])
    await harness.plays(pit.two, "PlaceBets", "A", bets=[["8", 500]])
    await harness.does(pit.dealer, "FinishBetting", table="A")
    await harness.passes(6)
    await harness.does(pit.boss, "RaiseMalfunction", terminal=pit.one.device, fault="credits", words="It is wrong.")
    await harness.does(pit.boss, "RaiseMalfunction", terminal=pit.two.device, fault="numbers", words="It is wrong.")
    await harness.spin("A", "8")
    await harness.does(pit.dealer, "ConfirmResult", table="A", pocket="8")
    digest = harness.house.tables[TableId("A")].playing.digest
    await harness.does(pit.dealer, "ConfirmBets", case=3, digest=digest)
    await harness.twice(pit.boss, pit.chief, "VoidBets", case=2, words="Nothing bears them out.")
    await harness.does(pit.boss, "ClearCase", case=2)
    await harness.does(pit.boss, "ClearCase", case=3)


async def _interrupted(harness: ServerHarness, pit: Actors) -> None:
    """The system fails after the seal, and two people attest where the ball lay."""
    await harness.does(pit.dealer, "OpenBets", table="A")
    await harness.does(pit.dealer, "FinishBetting", table="A")
    await harness.passes(6)
    await harness.does(pit.dealer, "SpinBall", table="A")
    await harness.passes(121)
    await harness.does(pit.dealer, "RaiseSystemMalfunction", table="A", words="The system hangs.")
    await harness.twice(pit.boss, pit.chief, "AttestResult", table="A", pocket="8", words="It lay in 8.")


async def _referrals(harness: ServerHarness, pit: Actors) -> None:
    await harness.does(pit.dealer, "OpenBets", table="A")
    await harness.plays(pit.one, "PlaceBets", "A", bets=[["5", 300]])
    await harness.does(pit.dealer, "ReferRound", table="A", words="Somebody shouted.")
    await harness.does(pit.boss, "DecideReferral", table="A", verdict="go_on", words="It was nothing.")
    await harness.does(pit.dealer, "ReferRound", table="A", words="Somebody shouted again.")
    await harness.does(pit.boss, "DecideReferral", table="A", verdict="void", words="It was something.")
    await harness.twice(pit.boss, pit.chief, "InvalidateOutcome", table="A", round=2, reason="fire", words="Fire.")


async def _terminals(harness: ServerHarness, pit: Actors) -> None:
    """Terminals go out of service, are kept for somebody, are put right, and go dark."""
    three = await harness.player("A", device="A-3")
    for terminal in (pit.two.device, three.device):
        await harness.does(pit.boss, "NotifyOfficer", subject=terminal, words="It is looked after.")
    await harness.passes(1)
    await harness.does(pit.boss, "CloseTerminal", terminal=pit.two.device, words="Mended tomorrow.")
    await harness.does(pit.boss, "ReopenTerminal", terminal=pit.two.device)
    await harness.does(pit.boss, "ArrangeVip", table="A", positions=[3], words="In writing.")
    await harness.twice(pit.boss, pit.chief, "AdjustCredit", terminal=pit.two.device, amount=-5, words="Miscounted.")
    await harness.checked(await pit.two.response(pit.two.says("note", value=5_000)))
    await harness.leaves(pit.two)
    await harness.passes(6)
    pit.two = await harness.connect("terminal", device=pit.two.device, key=pit.two.key)
    await harness.does(pit.boss, "ClearCase", case=4)


async def clearwater(harness: ServerHarness) -> None:
    """Two games to a terminal, copies, patterns, red chips, held wins, malfunctions and tickets."""
    pit = await connect_actors(harness, "C")
    one, two = pit.one, pit.two
    await harness.does(pit.dealer, "OpenBets", table="C")
    await harness.does(pit.dealer, "OpenBets", table="D")
    await _two_games(harness, one)
    # Under the minimum a chip shows red, and what leaves too little risk is warned of.
    await harness.plays(two, "PlaceBets", "C", bets=[["17", 50], ["18", 5_000]])
    await harness.plays(two, "PlaceBets", "D", bets=[["red", 500], ["black", 100]])
    await harness.plays(two, "ChangeBet", "D", spot="red", stake=100)
    await harness.misplays(two, "nothing_there", "RecallPattern", "D", slot=2)
    await _spin(harness, "C", "18")
    await _held_wins(harness, pit)
    await _spin(harness, "D", "17")
    await harness.twice(pit.boss, pit.chief, "CorrectResult", table="C", round=1, pocket="22", words="Misread.")
    await _settings(harness, pit, "D", betting_s=20)
    await _malfunctions(harness, pit)
    await harness.twice(pit.boss, pit.chief, "AdjustCredit", terminal=two.device, amount=500, words="Miscounted.")
    number = await _paper(harness, pit, one)
    await harness.checked(await two.response(two.says("ticket_in", number=number)), "ticket_paid")
    await harness.checked(await two.response(two.says("cash_out")))
    await harness.checked(await one.response(one.says("ticket_in", number=slip(two)["number"])))
    await _records(harness, pit, "C")


async def _two_games(harness: ServerHarness, one: PageClient) -> None:
    """Chips, patterns and copies between the two games of one terminal."""
    await harness.does(one, "ChooseDenomination", terminal=one.device, denomination=100)
    await _chips(harness, one, "C")
    await harness.plays(one, "SavePattern", "C", slot=1)
    await harness.misplays(one, "slot_taken", "SavePattern", "C", slot=1)
    await harness.plays(one, "RecallPattern", "D", slot=1)
    await harness.plays(one, "CancelRecall", "D")
    await harness.plays(one, "RecallPattern", "D", slot=1)
    await harness.plays(one, "ConfirmRecall", "D")
    await harness.plays(one, "ClearBets", "D")
    await harness.plays(one, "CopyBets", "D", source="C")
    for on in (True, False, True):
        await harness.does(one, "SetAutoCopy", terminal=one.device, table="C", target="D", on=on)
    await harness.plays(one, "PlaceBets", "C", bets=[["22", 200]])
    await harness.plays(one, "PressNeighbours", "C")
    await harness.plays(one, "PressNeighbours", "C")


async def _spin(harness: ServerHarness, table: str, pocket: str) -> None:
    """The machine launches the ball, betting closes, and the ball comes to rest."""
    await harness.wheel(BallLaunched(TableId(table)))
    await harness.passes(6)
    await harness.wheel(BallAtRest(TableId(table), Pocket(pocket)))


async def _held_wins(harness: ServerHarness, pit: Actors) -> None:
    """A win is held until its form is recorded."""
    assert pit.two.page.seat is not None
    assert pit.two.page.seat["held"] > 0
    hold = {"terminal": pit.two.device, "hold": harness.house.held_wins}
    await harness.fails(pit.cashier, "form_missing", "ReleaseHeldWin", **hold)
    await harness.does(pit.cashier, "RecordTaxForm", **hold, patron="A. Patron", form_number="7")
    await harness.does(pit.cashier, "ReleaseHeldWin", **hold)


async def _malfunctions(harness: ServerHarness, pit: Actors) -> None:
    """A terminal hangs before the close and after it, then the wheel, then the system."""
    await harness.does(pit.dealer, "OpenBets", table="C")
    await harness.does(pit.dealer, "OpenBets", table="D")
    await harness.plays(pit.one, "RepeatBets", "C")
    await harness.plays(pit.two, "PlaceBets", "D", bets=[["5", 300]])
    hangs = {"terminal": pit.two.device, "fault": "opinion", "words": "It hangs."}
    await harness.does(pit.dealer, "RaiseMalfunction", **hangs)
    await harness.does(pit.boss, "ClearCase", case=1)
    await harness.plays(pit.two, "PlaceBets", "C", bets=[["5", 300]])
    await harness.wheel(BallLaunched(TableId("C")))
    await harness.passes(6)
    await harness.does(pit.dealer, "RaiseMalfunction", **hangs)
    await harness.wheel(WheelTrouble(TableId("C"), Reason.MALFUNCTION))
    await harness.does(pit.boss, "ClearCase", case=2)
    await harness.passes(8)
    await harness.does(pit.dealer, "RaiseSystemMalfunction", table="D", words="The system hangs.")


async def marina_bay_sands(harness: ServerHarness) -> None:
    """Launches that come too early or the wrong way, numbers that two attest, and a table and a seat added."""
    pit = await connect_actors(harness, "M")
    await harness.does(pit.dealer, "OpenBets", table="M")
    await _chips(harness, pit.one, "M")
    await harness.plays(pit.two, "PlaceBets", "M", bets=[["voisins", 100]])
    await harness.does(pit.dealer, "CloseBets", table="M")
    await harness.spin("M", "00")
    await harness.does(pit.dealer, "ConfirmResult", table="M", pocket="00")
    await harness.does(pit.dealer, "OpenBets", table="M")
    await harness.plays(pit.two, "RepeatBets", "M")
    await harness.wheel(BallLaunched(TableId("M"), opposite=True, turning=True))
    await harness.does(pit.boss, "DecideReferral", table="M", verdict="void", words="Too early.")
    await harness.does(pit.dealer, "OpenBets", table="M")
    await harness.plays(pit.two, "RepeatBets", "M")
    await harness.does(pit.dealer, "CloseBets", table="M")
    await harness.wheel(BallLaunched(TableId("M"), opposite=False, turning=True))
    await harness.does(pit.dealer, "OpenBets", table="M")
    await harness.plays(pit.one, "PlaceBets", "M", bets=[["5", 300]])
    await harness.does(pit.dealer, "CloseBets", table="M")
    await harness.wheel(BallLaunched(TableId("M"), opposite=True), BallLeftTrack(TableId("M"), revolutions=9))
    await harness.wheel(BallAtRest(TableId("M"), Pocket("5")))
    await harness.twice(pit.boss, pit.chief, "AttestResult", table="M", pocket="8", words="It lay in 8.")
    await harness.twice(pit.boss, pit.chief, "CorrectResult", table="M", round=4, pocket="5", words="It did not.")
    await harness.wheel(BallAtRest(TableId("M"), Pocket("8")))
    await _added(harness, pit)
    await harness.leaves(pit.two)
    await harness.passes(1)
    await _settings(harness, pit, "M")
    await _paper(harness, pit, pit.one)
    await _records(harness, pit, "M")


async def _added(harness: ServerHarness, pit: Actors) -> None:
    """Two people add a table, which all who see the others see at once, and a seat at it."""
    table = harness.house.tables[TableId("M")]
    added = {"rulebook": table.rulebook.digest, "settings": to_builtins(table.settings)}
    await harness.twice(pit.boss, pit.chief, "AddTable", table="N", **added)
    assert ["N" in client.page.tables for client in harness.clients] == [
        client.kind != "terminal" for client in harness.clients
    ]
    await harness.twice(pit.boss, pit.chief, "AddTerminal", terminal="N-1", tables=["N"], settings={})
    await harness.player("N")
    await harness.does(pit.dealer, "OpenBets", table="N")


async def double_zero(harness: ServerHarness) -> None:
    """A respin with the chips in place, and another venue's rules from one round on."""
    pit = await connect_actors(harness, "U")
    await harness.does(pit.dealer, "OpenBets", table="U")
    await _chips(harness, pit.one, "U")
    await harness.plays(pit.two, "PlaceBets", "U", bets=[["0/00", 200]])
    await harness.fails(pit.dealer, "close_before_spin", "CloseBets", table="U")
    await harness.does(pit.dealer, "SpinBall", table="U")
    await harness.does(pit.dealer, "CloseBets", table="U")
    await harness.does(pit.dealer, "CallNoSpin", table="U", reason="same_direction")
    await harness.plays(pit.one, "PlaceBets", "U", bets=[["black", 200]])
    await harness.does(pit.dealer, "SpinBall", table="U")
    await harness.does(pit.dealer, "CloseBets", table="U")
    await harness.does(pit.dealer, "EnterResult", table="U", pocket="0", again="0")
    digest, felts = harness.house.tables[TableId("C")].rulebook.digest, [pit.one.page.fixture]
    await harness.twice(pit.boss, pit.chief, "ChangeRulebook", table="U", rulebook=digest, words="A trial.")
    await harness.does(pit.dealer, "OpenBets", table="U")
    assert pit.one.page.fixture not in felts
    await harness.plays(pit.one, "PlaceBets", "U", bets=[["finale 7", 100]])
    await harness.wheel(BallLaunched(TableId("U")))
    await harness.passes(6)


#: The house of each venue, and a run there.
WIRE_RUNS: Final[Mapping[str, tuple[str, Callable[[ServerHarness], Awaitable[None]]]]] = {
    "skycity-adelaide-2003": (ADELAIDE, adelaide),
    "clearwater-etg": (CLEARWATER, clearwater),
    "marina-bay-sands-2020": (MARINA, marina_bay_sands),
    "us-double-zero": (DOUBLE_ZERO, double_zero),
}
