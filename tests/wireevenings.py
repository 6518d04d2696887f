"""Evenings played over the wire: one at every venue, in which as many different things happen as its rules know."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from msgspec import to_builtins

from croupier.house.commands.rounds import BallAtRest, BallLaunched, BallLeftTrack, WheelTrouble
from croupier.house.ids import SECOND, TableId
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Reason
from tests.guests import Evening, Guest
from tests.page import Said
from tests.wirehouses import ADELAIDE, CLEARWATER, DOUBLE_ZERO, MARINA


@dataclass
class Cast:
    """Two players, and the staff of an evening, each at a console."""

    one: Guest
    two: Guest
    dealer: Guest
    boss: Guest
    chief: Guest
    cashier: Guest


async def cast(night: Evening, table: str) -> Cast:
    """Let everybody in, and have a board above them."""
    players = (await night.player(table), await night.player(table))
    dealer = await night.staff("dealer", "dealer")
    managers = (await night.staff("pit", "boss"), await night.staff("pit", "chief"))
    cashier = await night.staff("cashier", "cashier")
    await night.staff("auditor", "auditor")
    await night.guest("board", join="")
    await night.check()
    return Cast(*players, dealer, *managers, cashier)


async def _chips(night: Evening, player: Guest, table: str) -> None:
    """Chips are placed and moved in every way that all venues know."""
    await night.plays(player, "PlaceBets", table, bets=[["17", 200], ["17/20", 100]])
    await night.plays(player, "ChangeBet", table, spot="17", stake=300)
    await night.plays(player, "MoveBet", table, source="17", target="20")
    if table == "U":
        await night.misplays(player, "stake_over_maximum", "DoubleBets", table)
    else:
        await night.plays(player, "DoubleBets", table)
    await night.plays(player, "UndoBet", table)
    await night.plays(player, "RemoveBets", table, spots=["17/20"])
    await night.misplays(player, "nothing_there", "RemoveBets", table, spots=["17/20"])
    await night.plays(player, "ClearBets", table)
    await night.plays(player, "PlaceBets", table, bets=[["17", 400], ["red", 200]])


async def _settings(night: Evening, pit: Cast, table: str, **more: int) -> None:
    """Two people change the limits from the next round on."""
    settings = to_builtins(night.house.tables[TableId(table)].settings)
    settings |= {"limits": {"spot": {"least": 200, "most": 300}}, "history_shown": 1, **more}
    await night.twice(pit.boss, pit.chief, "ChangeSettings", table=table, settings=settings, words="A quiet night.")


async def _paper(night: Evening, pit: Cast, player: Guest) -> str:
    """Credits become paper, and paper credits or cash; tell the number on the paper."""
    await night.checked(await player.answer(player.says("cash_out")))
    await night.twice(pit.boss, pit.chief, "VoidTicket", sequence=slip(player)["sequence"], words="It is jammed.")
    await night.checked(await player.answer(player.says("cash_out")))
    sequence, number = slip(player)["sequence"], slip(player)["number"]
    await night.does(player, "ConfirmPrint", terminal=player.device, sequence=sequence)
    await night.twice(pit.boss, pit.chief, "ReprintTicket", sequence=sequence, words="It is torn.")
    await night.does(pit.cashier, "ReportLost", sequence=sequence, words="It is not to be found.")
    await night.does(pit.cashier, "OpenDrawer", drawer="D1", float_=10_000_000)
    await night.checked(await pit.cashier.answer(pit.cashier.says("redeem", drawer="D1", number=number)))
    again = await pit.cashier.answer(pit.cashier.says("redeem", drawer="D1", number=number))
    await night.checked(again, "ticket_paid")
    await night.does(pit.cashier, "CountDrawer", drawer="D1", counted=5)
    await night.does(pit.cashier, "CloseDrawer", drawer="D1")
    return str(number)


def slip(player: Guest) -> Said:
    """The last slip or ticket that came out of a terminal's printer."""
    return next(frame for frame in reversed(player.log) if frame["t"] == "slip")


async def _records(night: Evening, pit: Cast, table: str) -> None:
    """What goes on record anywhere: incidents, messages, disputes, closings, people."""
    await night.does(pit.dealer, "NoteIncident", subject=table, words="A glass fell over.")
    await night.does(pit.dealer, "ClearIncident", incident=len(night.house.incidents))
    await night.does(pit.dealer, "SendMessage", terminals=[], words="Last round in ten minutes.")
    await night.fails(pit.dealer, "unknown_terminal", "SendMessage", terminals=["nowhere"], words="Hello.")
    await night.does(pit.cashier, "PrintRules", table=table)
    disputed = {"terminal": None, "basis": "not_covered", "words": "It was red.", "memorandum": "1"}
    await night.does(pit.boss, "OpenDispute", table=table, round=1, **disputed)
    await night.does(pit.boss, "DecideDispute", dispute=1, decision="It was black.")
    await night.does(pit.boss, "AdviseComplainant", dispute=1)
    await night.does(pit.boss, "CloseDispute", dispute=1, resolved=True)
    await night.does(pit.boss, "NotifyOfficer", subject=table, words="The table closes early.")
    await night.passes(1)
    await night.does(pit.boss, "CloseTable", table=table, words="The felt is worn.")
    await night.does(pit.boss, "ReopenTable", table=table)
    await night.twice(pit.boss, pit.chief, "EnrolPerson", person="new", titles=["Auditor"])
    await night.twice(pit.boss, pit.chief, "UnlockAccount", person="new")
    await night.does(pit.boss, "ReleasePerson", person="new")
    acting = {"person": "dealer", "title": "Auditor", "begins_at": night.house.now, "ends_at": night.house.now + SECOND}
    await night.does(pit.boss, "AppointActing", **acting)
    await night.twice(pit.boss, pit.chief, "ApproveBuild", version="0.1", reference="none")
    await night.does(pit.boss, "EnrolDevice", device="another")
    await night.does(pit.boss, "Withdraw", proposal=night.house.proposed)


async def adelaide(night: Evening) -> None:
    """Resets, cases, referrals, corrections, slips, and a terminal that goes dark."""
    pit = await cast(night, "A")
    await _stays_up(night, pit)
    await _no_spin(night, pit)
    await _cases(night, pit)
    await _interrupted(night, pit)
    await _settings(night, pit, "A")
    await _referrals(night, pit)
    await _terminals(night, pit)
    await _paper(night, pit, pit.two)
    await _records(night, pit, "A")


async def _stays_up(night: Evening, pit: Cast) -> None:
    """A winning stake stays up, and comes down with a wrong number."""
    await night.does(pit.dealer, "OpenBets", table="A")
    await _chips(night, pit.one, "A")
    await night.misplays(pit.two, "stake_under_minimum", "PlaceBets", "A", bets=[["red", 50]])
    await night.plays(pit.two, "PlaceBets", "A", bets=[["black", 500]])
    await night.misplays(pit.two, "call_not_offered", "PressNeighbours", "A")
    await night.does(pit.dealer, "FinishBetting", table="A")
    await night.passes(6)
    await night.misplays(pit.two, "bets_closed", "ClearBets", "A")
    await night.spin("A", "17")
    await night.fails(pit.dealer, "numbers_differ", "ConfirmResult", table="A", pocket="18")
    await night.does(pit.dealer, "ConfirmResult", table="A", pocket="17")
    assert pit.one.page.game("A")["bets"] == {"17": 400}
    await night.twice(pit.boss, pit.chief, "CorrectResult", table="A", round=1, pocket="20", words="Misread.")
    assert pit.one.page.game("A")["bets"] == {}


async def _no_spin(night: Evening, pit: Cast) -> None:
    await night.does(pit.dealer, "OpenBets", table="A")
    await night.plays(pit.one, "RepeatBets", "A")
    await night.plays(pit.two, "PlaceBets", "A", bets=[["8", 500]])
    await night.does(pit.boss, "RaiseMalfunction", terminal=pit.two.device, fault="opinion", words="It flickers.")
    await night.does(pit.boss, "ClearCase", case=1)
    await night.does(pit.dealer, "CloseBets", table="A")
    await night.passes(6)
    await night.does(pit.dealer, "SpinBall", table="A")
    await night.does(pit.dealer, "CallNoSpin", table="A", reason="foreign_object", ball_removed=True)
    await night.does(pit.dealer, "ResetTerminals", table="A")


async def _cases(night: Evening, pit: Cast) -> None:
    """Sealed bets in question wait beside the round, and are confirmed or void."""
    await night.plays(pit.one, "PlaceBets", "A", bets=[["5", 500]])
    await night.plays(pit.two, "PlaceBets", "A", bets=[["8", 500]])
    await night.does(pit.dealer, "FinishBetting", table="A")
    await night.passes(6)
    await night.does(pit.boss, "RaiseMalfunction", terminal=pit.one.device, fault="credits", words="It is wrong.")
    await night.does(pit.boss, "RaiseMalfunction", terminal=pit.two.device, fault="numbers", words="It is wrong.")
    await night.spin("A", "8")
    await night.does(pit.dealer, "ConfirmResult", table="A", pocket="8")
    digest = night.house.tables[TableId("A")].playing.digest
    await night.does(pit.dealer, "ConfirmBets", case=3, digest=digest)
    await night.twice(pit.boss, pit.chief, "VoidBets", case=2, words="Nothing bears them out.")
    await night.does(pit.boss, "ClearCase", case=2)
    await night.does(pit.boss, "ClearCase", case=3)


async def _interrupted(night: Evening, pit: Cast) -> None:
    """The system fails after the seal, and two people attest where the ball lay."""
    await night.does(pit.dealer, "OpenBets", table="A")
    await night.does(pit.dealer, "FinishBetting", table="A")
    await night.passes(6)
    await night.does(pit.dealer, "SpinBall", table="A")
    await night.passes(121)
    await night.does(pit.dealer, "RaiseSystemMalfunction", table="A", words="The system hangs.")
    await night.twice(pit.boss, pit.chief, "AttestResult", table="A", pocket="8", words="It lay in 8.")


async def _referrals(night: Evening, pit: Cast) -> None:
    await night.does(pit.dealer, "OpenBets", table="A")
    await night.plays(pit.one, "PlaceBets", "A", bets=[["5", 300]])
    await night.does(pit.dealer, "ReferRound", table="A", words="Somebody shouted.")
    await night.does(pit.boss, "DecideReferral", table="A", verdict="go_on", words="It was nothing.")
    await night.does(pit.dealer, "ReferRound", table="A", words="Somebody shouted again.")
    await night.does(pit.boss, "DecideReferral", table="A", verdict="void", words="It was something.")
    await night.twice(pit.boss, pit.chief, "InvalidateOutcome", table="A", round=2, reason="fire", words="Fire.")


async def _terminals(night: Evening, pit: Cast) -> None:
    """Terminals go out of service, are kept for somebody, are put right, and go dark."""
    three = await night.player("A", device="A-3")
    for terminal in (pit.two.device, three.device):
        await night.does(pit.boss, "NotifyOfficer", subject=terminal, words="It is looked after.")
    await night.passes(1)
    await night.does(pit.boss, "CloseTerminal", terminal=pit.two.device, words="Mended tomorrow.")
    await night.does(pit.boss, "ReopenTerminal", terminal=pit.two.device)
    await night.does(pit.boss, "ArrangeVip", terminal=three.device, words="In writing.")
    await night.twice(pit.boss, pit.chief, "AdjustCredit", terminal=pit.two.device, amount=-5, words="Miscounted.")
    await night.checked(await pit.two.answer(pit.two.says("note", value=5_000)))
    await night.leaves(pit.two)
    await night.passes(6)
    pit.two = await night.guest("terminal", device=pit.two.device, key=pit.two.key)
    await night.does(pit.boss, "ClearCase", case=4)


async def clearwater(night: Evening) -> None:
    """Two games to a terminal, copies, patterns, red chips, held wins, malfunctions and tickets."""
    pit = await cast(night, "C")
    one, two = pit.one, pit.two
    await night.does(pit.dealer, "OpenBets", table="C")
    await night.does(pit.dealer, "OpenBets", table="D")
    await _two_games(night, one)
    # Under the minimum a chip shows red, and what leaves too little risk is warned of.
    await night.plays(two, "PlaceBets", "C", bets=[["17", 50], ["18", 5_000]])
    await night.plays(two, "PlaceBets", "D", bets=[["red", 500], ["black", 100]])
    await night.plays(two, "ChangeBet", "D", spot="red", stake=100)
    await night.misplays(two, "nothing_there", "RecallPattern", "D", slot=2)
    await _spin(night, "C", "18")
    await _held(night, pit)
    await _spin(night, "D", "17")
    await night.twice(pit.boss, pit.chief, "CorrectResult", table="C", round=1, pocket="22", words="Misread.")
    await _settings(night, pit, "D", betting_s=20)
    await _malfunctions(night, pit)
    await night.twice(pit.boss, pit.chief, "AdjustCredit", terminal=two.device, amount=500, words="Miscounted.")
    number = await _paper(night, pit, one)
    await night.checked(await two.answer(two.says("ticket_in", number=number)), "ticket_paid")
    await night.checked(await two.answer(two.says("cash_out")))
    await night.checked(await one.answer(one.says("ticket_in", number=slip(two)["number"])))
    await _records(night, pit, "C")


async def _two_games(night: Evening, one: Guest) -> None:
    """Chips, patterns and copies between the two games of one terminal."""
    await night.does(one, "ChooseDenomination", terminal=one.device, denomination=100)
    await _chips(night, one, "C")
    await night.plays(one, "SavePattern", "C", slot=1)
    await night.misplays(one, "slot_taken", "SavePattern", "C", slot=1)
    await night.plays(one, "RecallPattern", "D", slot=1)
    await night.plays(one, "CancelRecall", "D")
    await night.plays(one, "RecallPattern", "D", slot=1)
    await night.plays(one, "ConfirmRecall", "D")
    await night.plays(one, "ClearBets", "D")
    await night.plays(one, "CopyBets", "D", source="C")
    for on in (True, False, True):
        await night.does(one, "SetAutoCopy", terminal=one.device, table="C", target="D", on=on)
    await night.plays(one, "PlaceBets", "C", bets=[["22", 200]])
    await night.plays(one, "PressNeighbours", "C")
    await night.plays(one, "PressNeighbours", "C")


async def _spin(night: Evening, table: str, pocket: str) -> None:
    """The machine launches the ball, betting closes, and the ball comes to rest."""
    await night.wheel(BallLaunched(TableId(table)))
    await night.passes(6)
    await night.wheel(BallAtRest(TableId(table), Pocket(pocket)))


async def _held(night: Evening, pit: Cast) -> None:
    """A win is held until its form is recorded."""
    assert pit.two.page.seat is not None
    assert pit.two.page.seat["held"] > 0
    hold = {"terminal": pit.two.device, "hold": night.house.held_wins}
    await night.fails(pit.cashier, "form_missing", "ReleaseHeldWin", **hold)
    await night.does(pit.cashier, "RecordTaxForm", **hold, patron="A. Patron", form_number="7")
    await night.does(pit.cashier, "ReleaseHeldWin", **hold)


async def _malfunctions(night: Evening, pit: Cast) -> None:
    """A terminal hangs before the close and after it, then the wheel, then the system."""
    await night.does(pit.dealer, "OpenBets", table="C")
    await night.does(pit.dealer, "OpenBets", table="D")
    await night.plays(pit.one, "RepeatBets", "C")
    await night.plays(pit.two, "PlaceBets", "D", bets=[["5", 300]])
    hangs = {"terminal": pit.two.device, "fault": "opinion", "words": "It hangs."}
    await night.does(pit.dealer, "RaiseMalfunction", **hangs)
    await night.does(pit.boss, "ClearCase", case=1)
    await night.plays(pit.two, "PlaceBets", "C", bets=[["5", 300]])
    await night.wheel(BallLaunched(TableId("C")))
    await night.passes(6)
    await night.does(pit.dealer, "RaiseMalfunction", **hangs)
    await night.wheel(WheelTrouble(TableId("C"), Reason.MALFUNCTION))
    await night.does(pit.boss, "ClearCase", case=2)
    await night.passes(8)
    await night.does(pit.dealer, "RaiseSystemMalfunction", table="D", words="The system hangs.")


async def marina_bay_sands(night: Evening) -> None:
    """Launches that come too early or the wrong way, numbers that two attest, and a table and a seat added."""
    pit = await cast(night, "M")
    await night.does(pit.dealer, "OpenBets", table="M")
    await _chips(night, pit.one, "M")
    await night.plays(pit.two, "PlaceBets", "M", bets=[["voisins", 100]])
    await night.does(pit.dealer, "CloseBets", table="M")
    await night.spin("M", "00")
    await night.does(pit.dealer, "ConfirmResult", table="M", pocket="00")
    await night.does(pit.dealer, "OpenBets", table="M")
    await night.plays(pit.two, "RepeatBets", "M")
    await night.wheel(BallLaunched(TableId("M"), opposite=True, turning=True))
    await night.does(pit.boss, "DecideReferral", table="M", verdict="void", words="Too early.")
    await night.does(pit.dealer, "OpenBets", table="M")
    await night.plays(pit.two, "RepeatBets", "M")
    await night.does(pit.dealer, "CloseBets", table="M")
    await night.wheel(BallLaunched(TableId("M"), opposite=False, turning=True))
    await night.does(pit.dealer, "OpenBets", table="M")
    await night.plays(pit.one, "PlaceBets", "M", bets=[["5", 300]])
    await night.does(pit.dealer, "CloseBets", table="M")
    await night.wheel(BallLaunched(TableId("M"), opposite=True), BallLeftTrack(TableId("M"), revolutions=9))
    await night.wheel(BallAtRest(TableId("M"), Pocket("5")))
    await night.twice(pit.boss, pit.chief, "AttestResult", table="M", pocket="8", words="It lay in 8.")
    await night.twice(pit.boss, pit.chief, "CorrectResult", table="M", round=4, pocket="5", words="It did not.")
    await night.wheel(BallAtRest(TableId("M"), Pocket("8")))
    await _added(night, pit)
    await night.leaves(pit.two)
    await night.passes(1)
    await _settings(night, pit, "M")
    await _paper(night, pit, pit.one)
    await _records(night, pit, "M")


async def _added(night: Evening, pit: Cast) -> None:
    """Two people add a table, which all who see the others see at once, and a seat at it."""
    table = night.house.tables[TableId("M")]
    added = {"rulebook": table.rulebook.digest, "settings": to_builtins(table.settings)}
    await night.twice(pit.boss, pit.chief, "AddTable", table="N", **added)
    assert ["N" in guest.page.tables for guest in night.guests] == [guest.kind != "terminal" for guest in night.guests]
    await night.twice(pit.boss, pit.chief, "AddTerminal", terminal="N-1", tables=["N"], settings={})
    await night.player("N")
    await night.does(pit.dealer, "OpenBets", table="N")


async def double_zero(night: Evening) -> None:
    """A respin with the chips in place, and another venue's rules from one round on."""
    pit = await cast(night, "U")
    await night.does(pit.dealer, "OpenBets", table="U")
    await _chips(night, pit.one, "U")
    await night.plays(pit.two, "PlaceBets", "U", bets=[["0/00", 200]])
    await night.fails(pit.dealer, "close_before_spin", "CloseBets", table="U")
    await night.does(pit.dealer, "SpinBall", table="U")
    await night.does(pit.dealer, "CloseBets", table="U")
    await night.does(pit.dealer, "CallNoSpin", table="U", reason="same_direction")
    await night.plays(pit.one, "PlaceBets", "U", bets=[["black", 200]])
    await night.does(pit.dealer, "SpinBall", table="U")
    await night.does(pit.dealer, "CloseBets", table="U")
    await night.does(pit.dealer, "EnterResult", table="U", pocket="0", again="0")
    digest, felts = night.house.tables[TableId("C")].rulebook.digest, [pit.one.page.fixture]
    await night.twice(pit.boss, pit.chief, "ChangeRulebook", table="U", rulebook=digest, words="A trial.")
    await night.does(pit.dealer, "OpenBets", table="U")
    assert pit.one.page.fixture not in felts
    await night.plays(pit.one, "PlaceBets", "U", bets=[["finale 7", 100]])
    await night.wheel(BallLaunched(TableId("U")))
    await night.passes(6)


#: The house of each venue, and an evening there.
EVENINGS: Final[Mapping[str, tuple[str, Callable[[Evening], Awaitable[None]]]]] = {
    "skycity-adelaide-2003": (ADELAIDE, adelaide),
    "clearwater-etg": (CLEARWATER, clearwater),
    "marina-bay-sands-2020": (MARINA, marina_bay_sands),
    "us-double-zero": (DOUBLE_ZERO, double_zero),
}
