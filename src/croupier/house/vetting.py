"""Vetting: the names and settings of tables and terminals that cannot be, and the clause against each."""

from collections.abc import Iterator, Sequence
from typing import Final

from croupier.house.answer import refuse
from croupier.house.name import DeviceId, TerminalId
from croupier.house.settings import LimitSettings, Mode, TableSettings, TerminalSettings
from croupier.house.stamp import SYSTEM
from croupier.house.state import House
from croupier.house.table import HISTORY_KEPT, Table
from croupier.house.terms import AMOUNT_MOST, misfits
from croupier.rules.matter import Matter
from croupier.rules.offer import find_profile
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook


def name_objections(house: House, name: str) -> Iterator[Refusal]:
    """A table's wheel and a terminal are devices too, so that one list of names serves them all."""
    # A terminal that was released keeps its name: tickets and past rounds tell of it.
    if DeviceId(name) in house.devices or TerminalId(name) in house.terminals or name == SYSTEM:
        yield refuse(Code.ALREADY_THERE, None, f"Something here goes by the name {name} already.", name=name)
    if not name.strip():
        yield refuse(Code.SETTING_IMPOSSIBLE, None, "A name must not be empty.")


#: An hour, within which the times of a round lie, and a day, within which people come to a decision.
HOUR, DAY = 3_600, 24 * 3_600
#: The least and the most that a figure of a table's settings may be: more is a slip of the finger, and would stop play.
FIGURES: Final = {
    "betting_s": (1, HOUR),
    "warning_s": (0, HOUR),
    "launch_to_close_s": (1, HOUR),
    "rest_s": (0, HOUR),
    "pause_s": (0, HOUR),
    "betting_least_s": (0, HOUR),
    "games_per_hour_most": (1, HOUR),
    "patience_s": (0, DAY),
    "decision_s": (0, DAY),
    "attest_s": (0, DAY),
    "session_idle_s": (1, DAY),
    "history_shown": (1, HISTORY_KEPT),
}


def settings_objections(rulebook: Rulebook, settings: TableSettings) -> Iterator[Refusal]:
    clause = rulebook.cites[Matter.SETTINGS]
    for name, (least, most) in FIGURES.items():
        figure = getattr(settings, name)
        if figure is not None and not least <= figure <= most:
            says = f"{name} is {figure}, and must be {least} to {most}."
            yield refuse(Code.SETTING_IMPOSSIBLE, clause, says, setting=name, figure=figure)
    yield from _limit_objections(rulebook, settings.limits)


def terminal_objections(house: House, tables: Sequence[Table], settings: TerminalSettings) -> Iterator[Refusal]:
    rulebook = tables[0].rulebook
    yield from model_objections(house, rulebook, settings.profile)
    games = rulebook.terminal.games
    most, clause = (games.figure, games.clause) if games else (1, rulebook.cites[Matter.TERMINAL])
    names = {table.id for table in tables}
    if not len(tables) == len(names) <= most:
        says = f"A terminal plays at most {most} different tables here."
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, says, tables=len(tables), most=most)
    if any(table.rulebook.digest != rulebook.digest for table in tables):
        yield refuse(Code.SETTING_IMPOSSIBLE, clause, "All games of a terminal are played by one rulebook.")
    if any(table.next_rulebook is not None for table in tables):
        says = "The rules of that table change with its next round: add the terminal after that."
        yield refuse(Code.SETTING_IMPOSSIBLE, rulebook.cites[Matter.SETTINGS], says)
    for misfit in _tray_misfits(settings):
        yield refuse(Code.SETTING_IMPOSSIBLE, rulebook.cites[Matter.SETTINGS], misfit)
    if settings.limits is not None:
        yield from _limit_objections(rulebook, settings.limits)


def model_objections(house: House, rulebook: Rulebook, wanted: str | None) -> Iterator[Refusal]:
    profile = find_profile(rulebook, wanted)
    if isinstance(profile, Refusal):
        yield profile
    elif profile is not None and profile.channel is not ChannelName.TERMINAL:
        yield refuse(Code.UNKNOWN_PROFILE, profile.clause, f"{profile.label} is not a terminal.", profile=profile.id)
    if ChannelName.TERMINAL not in rulebook.channels and house.mode is not Mode.DEMO:
        says = f"{rulebook.venue} is played with chips: terminals are for demonstration alone."
        yield refuse(Code.DEMO_ONLY, rulebook.cites[Matter.TERMINAL], says)


def _limit_objections(rulebook: Rulebook, limits: LimitSettings) -> Iterator[Refusal]:
    for on, bound, words in misfits(limits):
        yield refuse(Code.SETTING_IMPOSSIBLE, rulebook.cites[Matter.SETTINGS], words, setting=on, bound=bound)


def _tray_misfits(settings: TerminalSettings) -> Iterator[str]:
    values = (*settings.denominations, *settings.chips, *settings.notes)
    if not settings.denominations:
        yield "A credit must be worth something."
    if any(value < 1 for value in values):
        yield "Every denomination, chip and note must be above nothing."
    if any(value > AMOUNT_MOST for value in values):
        yield f"No denomination, chip or note may be above {AMOUNT_MOST} cents or credits."
