"""The words of the player's screens: every language has them all, with the same facts and its own grammar."""

import ast
import json
import re

import pytest

from croupier.house.credit.tickets import TicketState
from croupier.house.declare import EventTopic
from croupier.house.floor.disputes import DisputeBasis, DisputeState
from croupier.house.floor.equipment import BallMaterial
from croupier.house.floor.incidents import IncidentKind, Peripheral, TroubleCause
from croupier.house.floor.signatures import DUAL_CONTROL
from croupier.house.settings import WheelKind
from croupier.house.state.records import MalfunctionKind, MalfunctionSign
from croupier.house.state.tables import CallReason, Moment, PauseReason, Phase, RoundStatus, SeatMessageKind, StepName
from croupier.rules.drills import COLOURS, Level
from croupier.rules.geometry import COMMON_KINDS, Colour
from croupier.rules.payouts import NoteKind
from croupier.rules.procedure import CreditOut, InfringementKind, Reason, ResultAuthority, TaxBasis, TerminalLoss
from croupier.rules.refusal import Code
from croupier.server.views.live import NOTICE_RULES
from tests.support.modules import MODULES, code_of, name_of, reached_from
from tests.support.quick import STATIC
from tests.support.wordbook import FOLDERS, LANGUAGES, TRANSLATED, all_words, bare, counts_of, facts_of, words

#: The forms that a count takes, by the rules of Unicode's CLDR.
FORMS = {
    "en": {"one", "other"},
    "es": {"one", "many", "other"},
    "fr": {"one", "many", "other"},
    "ms": {"other"},
    "zh-Hans": {"other"},
    "ar": {"zero", "one", "two", "few", "many", "other"},
}
#: What only staff, a configuration or a command line is ever refused with.
STAFF = {
    *(Code.UNKNOWN_RULEBOOK, Code.RULEBOOK_INCONSISTENT, Code.UNKNOWN_PROFILE, Code.DEFAULT_CREDENTIALS, Code.TOO_LONG),
    *(Code.SIGN_IN_REFUSED, Code.SIGNED_OUT, Code.STEP_UP_NEEDED, Code.UNKNOWN_PERSON, Code.SAME_PERSON),
    *(Code.SAME_DEVICE, Code.PROPOSAL_EXPIRED, Code.SOFTWARE_NOT_APPROVED, Code.NOT_IN_FORCE, Code.CLOSE_BEFORE_SPIN),
    *(Code.SPIN_BEFORE_CLOSE, Code.TOO_SOON, Code.REASON_NOT_LISTED, Code.CAUSE_AFTER_REST, Code.NUMBERS_DIFFER),
    *(Code.NOT_NOTIFIED, Code.NOT_ADVISED, Code.RECORD_DIFFERS, Code.FORM_MISSING, Code.TICKET_ALTERED),
    *(Code.DRAWER_UNKNOWN, Code.DRAWER_CLOSED, Code.DRAWER_SHORT),
    *(Code.MARKER_NOT_DESIGNATED, Code.MARKER_BETS_PER_SPIN),
    *(Code.NOTICE_NOT_SHOWN, Code.FLOAT_NOT_OPEN, Code.FLOAT_SHORT, Code.CHIPS_NOT_TAKEN, Code.SET_IN_USE),
    *(Code.COLOUR_LIKE_VALUE_CHIP, Code.CHIPS_OF_ANOTHER_TABLE, Code.COLOUR_TAKEN, Code.VALUE_DECLARED),
    *(Code.VALUE_UNDER_MINIMUM, Code.COLOUR_NOT_APPROVED, Code.VALUES_DIFFER, Code.NOT_WHOLE_CHIPS, Code.CHIPS_SHORT),
    *(Code.CHIPS_OUTSTANDING, Code.PLAYER_BARRED, Code.GAP_OPEN, Code.PARTNERSHIP_OVER_MAXIMUM),
    Code.MARKER_BUTTON_WRONG,
    *(Code.EQUIPMENT_NOT_INSPECTED, Code.WHEEL_HEAD_DIFFERS, Code.WHEEL_HEAD_IN_USE, Code.BALL_NOT_ALLOWED),
    *(Code.MARKER_BUTTON_WRONG, Code.CASH_NOT_TAKEN, Code.VERBAL_WITHOUT_CHIPS, Code.BETS_NOT_RECORDED),
    *(Code.NOT_SETTLED_YET, Code.DOLLY_NOT_PLACED, Code.COLLECT_FIRST, Code.NOT_ALL_PAID, Code.PAYMENT_DIFFERS),
    Code.PAYMENT_UNDECIDED,
}
#: Codes for many different things: in English the house says which, and other languages have a general text.
SAID_BY_HOUSE = {
    *(Code.ALREADY_THERE, Code.BUSY, Code.COMMAND_FAILED, Code.MALFORMED, Code.NOT_AUTHORISED, Code.NOT_NOTIFIED),
    *(Code.NOTHING_THERE, Code.OUT_OF_TURN, Code.REASON_NOT_LISTED, Code.RECORD_DIFFERS),
    *(Code.SETTING_IMPOSSIBLE, Code.TOO_FAST, Code.UNKNOWN_RECORD),
}
#: Cases of one code that the fact `why` names.
CASES: dict[str, set[str]] = {
    Code.ALREADY_THERE: {"break", "call", "play_money"},
    Code.CALL_NOT_OFFERED: {"neighbours", "patterns"},
    Code.KIND_NOT_PRICED: {"arrangement"},
    Code.MALFORMED: {"text"},
    Code.NOTHING_THERE: {
        *("break", "call", "clear", "double", "neighbours", "pattern", "recall", "repeat", "save", "spot", "undo"),
    },
    Code.NOT_TAKEN_HERE: {"currency", "notes", "other_currency", "slip", "tickets", "value"},
    Code.OUT_OF_TURN: {"denomination"},
    Code.PLAY_PAUSED: set(PauseReason),
    Code.SETTING_IMPOSSIBLE: {"looser", "minutes"},
    Code.TERMINAL_BLOCKED: set(Peripheral),
}
#: Why a table of chips cannot play, and why any table cannot.
LIVE = {"notice_not_shown", "float_not_open", "chips_outstanding", "gap_open"}
BLOCKED = {
    *LIVE,
    *("disk_low", "equipment_not_inspected", "no_dealer", "no_sensor", "no_terminals", "not_in_force", "out_of_turn"),
    *("random_source_failed", "round_interrupted", "round_suspended", "software_not_approved", "table_closed"),
    *("too_soon", "wheel_fault"),
    # For each step that a table waits for.
    "awaiting",
}
#: Incidents that are described in the words of staff, or of a fault.
DESCRIBED = {"referred", "malfunction", "noted", "interrupted"}
#: Ids that the pages put together, by how they begin, with every way in which they may end.
MADE: dict[str, set[str]] = {
    "attendant.": set(CallReason),
    "authority.": set(ResultAuthority),
    "own.": {*("loss", "time", "break"), *("loss-about", "time-about", "break-about")},
    "bets.": {"accepted", "guessed", "red", "sealed"},
    "by.": {"auto", "wheel", "pit"},
    "by-in.": {"auto", "wheel", "pit"},
    "chip.": set(COLOURS),
    "colour.": set(Colour),
    "audit-line.": {
        *("notes", "bought_in", "tickets_in", "tickets_back", "adjusted_in", "granted", "returned", "refunded"),
        *("turnover", "tickets_out", "hand_pays", "payables_paid", "adjusted_out"),
        *("credit", "unsealed", "held", "receivable", "payable"),
    },
    "blocker.": BLOCKED
    - {*LIVE, "equipment_not_inspected", "not_in_force", "software_not_approved", "table_closed", "too_soon"},
    "case-sign.": set(MalfunctionSign),
    "command-field.": {name for kind in DUAL_CONTROL for name in kind.__struct_fields__},
    "command.": {each.__name__ for each in DUAL_CONTROL},
    "basis.": set(TaxBasis),
    "paper.": set(CreditOut),
    "ticket-status.": {*set(TicketState), "frozen"},
    "ticket-action.": {"report_lost", "reprint", "void", "release"},
    "ticket-about.": {"report_lost", "reprint", "void", "release"},
    "lookup.": {"ticket_misread", "ticket_unknown", "too_fast", "line_lost", "venue_silent", "other"},
    "device-kind.": {"terminal", "dealer", "pit", "cashier", "board", "auditor"},
    "fault.": set(MalfunctionKind),
    "fault-name.": set(MalfunctionKind),
    "floor.": {"players", "staked", "worst"},
    "incident.": {kind for kind in map(str, IncidentKind) if kind not in DESCRIBED},
    "incident-bare.": {
        *("clock_jumped", "interrupted", "number_differs", "result_before_seal", "software_differs", "tickets_guessed"),
        "wheel_trouble",
    },
    "incident-name.": set(IncidentKind),
    "item-call.": set(CallReason),
    "limit.": {"least", "most"},
    "material.": set(BallMaterial),
    "remedy.": BLOCKED,
    "round-status.": set(RoundStatus),
    "sighting-moment.": set(Moment),
    "timer.": {
        *("betting_s", "warning_s", "launch_to_close_s", "rest_s", "pause_s", "betting_min_s", "offline_grace_s"),
        *("decision_s", "attest_s", "session_idle_s"),
    },
    "trouble.": set(TroubleCause),
    "wheel-kind.": set(WheelKind),
    "device-name.": {"acceptor", "printer"},
    "dispute-basis.": set(DisputeBasis),
    "dispute-state.": set(DisputeState),
    "dispute-action.": {
        *("decide", "advise", "request_review", "record_review", "close_resolved", "close_unresolved"),
    },
    "journal.": {"time", "where", "what", "who"},
    "journal-about.": {"all", *EventTopic},
    "copy.": {"closed", "closed-short", "nothing", "nothing-short"},
    "dealer-call.": {"now", "ready", "number", "table", "wait"},
    "group.": {"rounds", "signatures", "machines", "wins", "calls", "devices", "disputes"},
    "help.": set(COMMON_KINDS),
    "float.": {"OpenFloat", "FillFloat", "CreditFloat", "CountFloat"},
    "kind.": set(COMMON_KINDS),
    "lobby.": {"auditor", "board", "cashier", "dealer", "live_table", "notice", "pit", "trainer"},
    "live-note.": set(NoteKind),
    "live-tab.": {"buy-in", "redeem", "second", "float"},
    "live-way.": {"plan", "colour", "mixed", "cash", "lower", "higher"},
    "infringement.": set(InfringementKind),
    "trainer-level.": set(Level),
    "trainer-question.": {"pieces", "stacks", "amount"},
    "trainer-field.": {"pieces", "stacks", "rest", "amount"},
    "trainer-score.": {"right", "streak", "median"},
    "posted-rule.": set(NOTICE_RULES),
    "status.": {
        *set(Phase),
        *("closing", "connecting", "ended", "lost", "service", "table_closed", "void", "winning"),
    },
    "line-lost.": set(TerminalLoss),
    "outcome.": {
        *("no_spin", "invalidated", "held", "suspended", "void"),
        *("recovered_void", "recovered_settled", "recovered_spin_void", "recovered_refunded", "recovered_suspended"),
    },
    "phase.": {*set(Phase), "table_closed"},
    "pit-label.": {
        *("advise", "approve_software", "attest", "clear", "clear_case", "clear_line_loss", "close_resolved"),
        *("close_unresolved", "collect_for", "confirm_bets", "correct", "decide", "enter", "go_on", "malfunction"),
        *("message", "no_spin", "record_form", "record_review", "refer", "release", "reopen", "request_review"),
        *("settle", "unlock", "void", "void_bets"),
    },
    "pit-effect.": {
        *("approve_software", "attest", "clear_case", "clear_line_loss", "close_resolved", "close_unresolved"),
        *("collect_for", "confirm_bets", "go_on", "no_spin", "release", "request_review", "settle", "unlock"),
        *("void", "void_bets"),
    },
    "pit-tab.": {"needs", "floor", "journal"},
    "reason.": set(Reason),
    # The store has two of its own, for wishes that came to nothing, and the client of a console one.
    "refusal.": {
        *(set(Code) - SAID_BY_HOUSE),
        *(f"{code}.{case}" for code, cases in CASES.items() for case in cases),
        *("too_late", "restarted", "line_lost"),
    },
    "seat-message.": set(SeatMessageKind),
    "slip-state.": {"expired", "frozen", "redeemed", "unknown", "void"},
    "step.": set(StepName),
    "step-wheel.": {"spin", "number"},
    "supervisor.": {"player", "payment", "wheel", "come"},
    "tab.": {"racetrack", "stats", "table", "wheel"},
    "wheel.": {"away", "lands", "runs"},
}
PACKAGE = STATIC.parent.parent
ID = r"[a-z][\w-]*(?:\.[\w-]+)*"
SCRIPTS = {name_of(path): code_of(path) for path in MODULES}


def ids_said() -> dict[str, set[str]]:
    """Every id that is written out where something is said, with the modules that say it."""
    found: dict[str, set[str]] = {}
    for path, text in SCRIPTS.items():
        for call in re.findall(r"\bsay\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)", text):
            # In a choice between two ids there may be other words than ids, but none with a dot.
            chosen = (name for name in re.findall(rf'"({ID})"', call.partition("{")[0]) if "." in name)
            for name in (*chosen, *re.findall(rf'^\s*"({ID})"', call)):
                found.setdefault(name, set()).add(path)
    return found


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("language", TRANSLATED)
def test_every_language_has_every_word_and_no_other(language: str, folder: str) -> None:
    """No id is missing in a language, and none is superfluous but general texts of what English leaves to the house."""
    general = {f"refusal.{code}" for code in SAID_BY_HOUSE}

    assert words(language, folder).keys() - general == words("en", folder).keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_words(language: str) -> None:
    """Every code of a refusal that players meet has words on every page, and every code at all on pages of staff."""
    codes = {f"refusal.{code}" for code in Code}
    staff = {f"refusal.{code}" for code in STAFF}
    unsaid = {f"refusal.{code}" for code in SAID_BY_HOUSE} if language == "en" else set()

    assert codes - staff - words(language).keys() == unsaid - staff
    assert codes - all_words(language).keys() == unsaid
    assert staff & words(language).keys() == set()


def test_every_case_of_a_refusal_has_words() -> None:
    """Every case that the code names for a refusal has words of its own, and no other has."""
    named = {
        *re.findall(r'why="(\w+)"', "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))),
        # A locked device is named as it is.
        *Peripheral,
        *(
            case
            for path in (PACKAGE / "house" / "play").glob("*.py")
            for case in re.findall(r'nothing_there\(.*"(\w+)"\)', path.read_text("utf-8"))
        ),
    }
    cases = {f"refusal.{code}.{case}" for code, all_ in CASES.items() for case in all_}

    assert named == {case for all_ in CASES.values() for case in all_}
    assert {name for name in words("en") if re.fullmatch(r"refusal\.\w+\.\w+", name)} == cases


@pytest.mark.parametrize("language", TRANSLATED)
def test_facts_are_the_same_in_every_language(language: str) -> None:
    """A text asks for the same facts in every language."""
    for folder in FOLDERS:
        known, texts = words("en", folder), words(language, folder)

        assert {name for name in texts if facts_of(texts[name]) != facts_of(known.get(name, ""))} == set()


@pytest.mark.parametrize("language", FORMS)
def test_counts_have_every_form_of_their_language(language: str) -> None:
    """Where something is counted, the text has every form that the language counts with, and no other."""
    forms = [(name, count.keys()) for name, text in all_words(language).items() for count in counts_of(text)]

    assert [(name, each) for name, each in forms if each - {"=0"} != FORMS[language]] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_is_counted_in_one_language_is_counted_in_all(language: str) -> None:
    """A translation counts what English counts."""
    texts = all_words(language)

    assert {
        name for name, text in all_words("en").items() if len(counts_of(text)) != len(counts_of(texts[name]))
    } == set()


def test_everything_said_is_there() -> None:
    """Every id that a page says has words."""
    assert {name: paths for name, paths in ids_said().items() if name not in all_words("en")} == {}


def test_pages_of_players_say_nothing_of_staff() -> None:
    """The page of players says no id that only pages of staff have."""
    public = {name_of(path) for path in reached_from(STATIC / "terminal" / "terminal.js")}

    assert {name for name, paths in ids_said().items() if name not in words("en") and paths & public} == set()


def test_everything_there_is_said() -> None:
    """No words are kept that no page says: each id is written out, or is one of those that are put together."""
    written = {name for text in SCRIPTS.values() for name in re.findall(rf'["`]({ID})["`]', text)}
    made = {f"{start}{end}" for start, ends in MADE.items() for end in ends}

    assert all_words("en").keys() - written - made == set()


def test_ids_that_are_put_together_are_declared() -> None:
    """Where a page puts an id together, its beginning is listed here, and every end of it has words."""
    # A page looks an identifier up with worded("reason.", name).
    pattern = r"`([a-z][\w-]*\.)\$\{|worded\(\"([a-z][\w-]*\.)\""
    starts = {one or other for text in SCRIPTS.values() for one, other in re.findall(pattern, text)}

    assert starts == MADE.keys()
    assert {f"{start}{end}" for start, ends in MADE.items() for end in ends} - all_words("en").keys() == set()


#: The facts in texts of refusals that are not money: names, and counts.
NOT_MONEY = {
    *("accepted", "colour", "currency", "days", "drawer", "message", "most", "person", "place", "pocket", "reach"),
    *("spot", "table", "terminal", "venue", "version"),
}


def test_every_fact_of_a_refusal_is_money_or_not() -> None:
    """Every fact that a refusal's text shows is listed as money, which pages format as an amount, or here as none."""
    shown = {fact for name, text in all_words("en").items() if name.startswith("refusal.") for fact in facts_of(text)}
    listed = re.search(r"const MONEY = new Set\(\[(.*?)\]\)", SCRIPTS["shared/wording.js"], re.DOTALL)
    assert listed is not None
    money = set(re.findall(r'"(\w+)"', listed[1]))

    assert money & NOT_MONEY == set()
    assert shown == money | NOT_MONEY


def test_codes_for_many_things_show_the_sentence_of_the_house() -> None:
    """A code with eight sentences or more, whose own text says no fact of them, is one of those that show them."""
    english, sentences = all_words("en"), dict[str, set[str]]()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name("refuse" | "Refused" | "Refusal"),
                    args=[ast.Attribute(ast.Name("Code"), code), _, sentence, *_],
                    keywords=given,
                ) if all(each.arg != "why" for each in given):
                    sentences.setdefault(Code[code], set()).add(ast.unparse(sentence))
    many = {
        code for code, said in sentences.items() if len(said) >= 8 and not facts_of(english.get(f"refusal.{code}", ""))
    }

    assert many - SAID_BY_HOUSE == set()


def facts_given() -> dict[str, list[set[str]]]:
    """The facts that come with each refusal of what a terminal asks, as far as the code names them where it refuses."""
    found: dict[str, list[set[str]]] = {}
    for room in ("rules", "house"):
        for path in sorted((PACKAGE / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Call(
                        func=ast.Name("refuse" | "Refused"),
                        args=[ast.Attribute(ast.Name("Code"), code), *_],
                        keywords=given,
                    ) if all(each.arg for each in given):
                        cases = [each.value for each in given if each.arg == "why"]
                        names = [f".{case.value!s}" for case in cases if isinstance(case, ast.Constant)]
                        found.setdefault(Code[code] + "".join(names), []).append({each.arg or "" for each in given})
                    case ast.Call(
                        func=ast.Name("Refusal"),
                        args=[ast.Attribute(ast.Name("Code"), code), _, _, ast.Dict(keys=names)],
                    ):
                        keys = {name.value for name in names if isinstance(name, ast.Constant)}
                        found.setdefault(Code[code], []).append({str(key) for key in keys})
    return found


def test_refusals_have_the_facts_that_their_words_ask_for() -> None:
    """Wherever the house refuses something, it gives all that the words for it have in braces."""
    given = facts_given()
    requested = {code: facts_of(all_words("en").get(f"refusal.{code}", "")) for code in given}

    assert len(given) > len(STAFF)
    assert {code for code, all_ in given.items() for facts in all_ if not requested[code] <= facts} == set()


def test_stores_own_refusals_are_among_them() -> None:
    """The store refuses nothing itself but what has words in every language."""
    codes = set(re.findall(r'code: "(\w+)"', SCRIPTS["shared/store.js"]))

    assert codes
    assert codes <= MADE["refusal."]


def test_french_is_set_as_french_is() -> None:
    """French has its own apostrophe and quotes, and no line breaks before its high signs."""
    wrong = re.compile(r"['\"“”]|\.\.\.| [:;!?»%]|« |[\w*)][:;!?»]")

    assert {name: text for name, text in all_words("fr").items() if wrong.search(bare(text))} == {}


def test_arabic_is_written_in_arabic() -> None:
    """Arabic has Arabic letters and signs; only a name or a form's number is Latin."""
    wrong = re.compile(r"[,;?]|\.\.\.|(?!Croupier|W-2G)\b[A-Za-z][\w-]*")

    assert {name: text for name, text in all_words("ar").items() if wrong.search(bare(text))} == {}


def test_chinese_is_set_as_chinese_is() -> None:
    """Chinese has its own commas, colons and full stops, and no Latin words but names of keys and forms."""
    wrong = re.compile(r"[,;?!]|: |\.(?!\d)|(?!Croupier|W-2G|Delete|DEMO)\b[A-Za-z]{2,}")

    assert {name: text for name, text in all_words("zh-Hans").items() if wrong.search(bare(text))} == {}


def test_spanish_questions_open_with_their_sign() -> None:
    """A Spanish question has its sign at both ends."""
    assert {name for name, text in all_words("es").items() if ("?" in text) != ("¿" in text)} == set()


def test_no_sentence_stands_in_the_code_of_a_terminal() -> None:
    """All that a player reads is in the words; only the store says three things of its own, which have words too."""
    sentence = re.compile(r'(?<![*/] )["`]([A-Z]\w* [a-z][^"`\n]*)["`]')
    found = {
        (path.name, words_)
        for path in reached_from(STATIC / "terminal" / "terminal.js")
        for words_ in sentence.findall(code_of(path))
    }

    assert {name for name, _ in found} == {"store.js"}
    assert len(found) == len({"too_late", "restarted", "line_lost"})


#: Folders of staff pages whose words are all in the language files.
WORDED = ("auditor", "cashier", "console", "dealer", "live_table", "notice", "pit")


def test_no_words_stand_in_the_code_of_staff_pages() -> None:
    """All that staff read on these pages is in the words; only the client says a refusal, which has words too."""
    sentence = re.compile(r'["`]([A-Z][a-z]+(?: [^"`\n]*|…))["`]')
    word = re.compile(r'(?:, |head: |label: |title: |does: |empty: |says: )"([A-Z][a-z]+)"[,)]')
    found = {
        (path.name, words_)
        for folder in WORDED
        for path in (STATIC / folder).glob("*.js")
        for words_ in (*sentence.findall(code_of(path)), *word.findall(code_of(path)))
    }

    # The name of a key.
    assert {name for name, _ in found - {("numbers.js", "Enter")}} == {"client.js"}
    assert len({words_ for name, words_ in found if name == "client.js"}) == len({"signed_out"})


@pytest.mark.parametrize("language", TRANSLATED)
def test_sentences_are_translated(language: str) -> None:
    """No text of several words is the same as in English."""
    texts = all_words(language)

    assert {
        name
        for name, text in all_words("en").items()
        if len(re.findall("[a-zA-Z]{2,}", bare(text))) > 1
        if text == texts[name]
    } == set()


def test_words_are_kept_in_order() -> None:
    """Each file of words is sorted by its ids and written in one way, so that changes to it are easy to read."""
    for path in sorted((STATIC / "words").rglob("*.json")):
        text = path.read_text("utf-8")

        assert text == json.dumps(dict(sorted(json.loads(text).items())), ensure_ascii=False, indent=2) + "\n"
