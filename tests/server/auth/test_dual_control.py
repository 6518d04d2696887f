"""What takes two at the wire: two people, two devices, and each gives the secret once more."""

from pathlib import Path

import pytest

from croupier.house.floor.signatures import ProposalApproved, ProposalMade
from croupier.house.floor.staff import PersonEnrolled
from croupier.house.ids import SECOND
from croupier.server.auth.sessions import STEP_UP_S
from croupier.server.auth.staff import PASSWORD_CHECKS_MAX
from tests.support.connections import Client, TestHouse, held_up, open_house, played, secret_of

CHANGE = {"person": "inspector", "titles": ["Dealer"]}


async def stepped_up(client: Client, person: str) -> Client:
    """Give the secret again."""
    client.say("step_up", secret=secret_of(person))
    await client.hear("stepped_up")
    return client


async def proposed(house: TestHouse) -> Client:
    """Have a manager propose other titles for the inspector, as the house's first proposal."""
    console = await stepped_up(await house.signed_in("manager", "pit", house.codes["manager"]), "manager")
    assert await console.acked("EnrolPerson", **CHANGE) == "done"
    return console


def test_two_people_on_two_devices_sign(tmp_path: Path) -> None:
    """A change that two sign is done with the second signature, and whoever it concerns is signed out at once."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            inspector = await house.signed_in("inspector", "pit", house.codes["inspector"])
            first = await house.signed_in("manager", "pit", house.codes["manager"])
            assert await first.acked("EnrolPerson", **CHANGE) == "step_up_needed"
            first.say("step_up", secret=secret_of("manager"))
            assert (await first.hear("stepped_up"))["until_us"] == house.time.at_us + STEP_UP_S * SECOND
            assert await first.acked("EnrolPerson", **CHANGE) == "done"
            second = await house.signed_in("manager 2", "pit", house.codes["manager 2"])
            assert second.snap["floor"]["proposals"][0]["person"] == "manager"
            assert await second.acked("Approve", proposal=1) == "step_up_needed"
            await stepped_up(second, "manager 2")
            assert await second.acked("Approve", proposal=1) == "done"
            await inspector.hear("signed_out")
            (signed,) = house.happened(ProposalApproved)
            assert isinstance(signed, ProposalApproved)
            assert (signed.proposer, signed.approver) == ("manager", "manager 2")
            assert [len(house.happened(kind)) for kind in (ProposalMade, PersonEnrolled)] == [1, 1]
            assert await second.acked("Approve", proposal=1) == "unknown_record"

    played(scenario)


def test_one_person_or_one_device_is_not_two(tmp_path: Path) -> None:
    """The same person elsewhere, another person on the same device, and whoever may not ask for it sign nothing."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            first = await proposed(house)
            elsewhere = await stepped_up(await house.signed_in("manager", "pit"), "manager")
            assert await elsewhere.acked("Approve", proposal=1) == "same_person"
            inspector = await house.signed_in("inspector", "pit", house.codes["inspector"])
            await stepped_up(inspector, "inspector")
            assert await inspector.acked("Approve", proposal=1) == "not_authorised"
            code, secret = house.codes["manager 2"], secret_of("manager 2")
            first.say("new_secret", person="manager 2", code=code, secret=secret)
            await first.hear("snap")
            assert await first.acked("Approve", proposal=1) == "step_up_needed"
            await stepped_up(first, "manager 2")
            assert await first.acked("Approve", proposal=1) == "same_device"
            assert house.happened(PersonEnrolled) == []

    played(scenario)


@pytest.mark.parametrize(("seconds", "answer"), [(STEP_UP_S - 1, "done"), (STEP_UP_S, "proposal_expired")])
def test_first_signature_is_good_for_two_minutes(tmp_path: Path, seconds: int, answer: str) -> None:
    """The second signature comes within two minutes of the first, or not at all."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            await proposed(house)
            second = await house.signed_in("manager 2", "pit", house.codes["manager 2"])
            house.time.at_us += seconds * SECOND
            await stepped_up(second, "manager 2")
            assert await second.acked("Approve", proposal=1) == answer

    played(scenario)


@pytest.mark.parametrize(("seconds", "answer"), [(STEP_UP_S - 1, "done"), (STEP_UP_S, "step_up_needed")])
def test_secret_given_again_is_good_for_two_minutes(tmp_path: Path, seconds: int, answer: str) -> None:
    """Within two minutes of it whatever takes two may be asked for, and afterwards only once it is given again."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            console = await proposed(house)
            house.time.at_us += seconds * SECOND
            assert await console.acked("EnrolPerson", **CHANGE) == answer

    played(scenario)


def test_secret_is_given_again_by_whoever_is_signed_in_there(tmp_path: Path) -> None:
    """Where nobody is signed in nothing is looked at; a wrong secret is refused, and counts towards the lock."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            console = await house.console("pit")
            assert await console.refused("step_up", secret=secret_of("manager")) == "signed_out"
            assert house.venue.verifier.credential_store.load().turned_away == 0
            console.say("new_secret", person="manager", code=house.codes["manager"], secret=secret_of("manager"))
            await console.admitted()
            assert await console.refused("step_up", secret=secret_of("manager 2")) == "sign_in_refused"
            assert await console.acked("EnrolPerson", **CHANGE) == "step_up_needed"
            for _ in range(2):
                await console.refused("step_up", secret=secret_of("manager 2"))
            assert await console.refused("step_up", secret=secret_of("manager")) == "sign_in_refused"

    played(scenario)


def test_secret_that_was_given_again_goes_with_its_sign_in(tmp_path: Path) -> None:
    """Whoever signs out while the secret is looked at has proven nothing for whoever signs in next."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            console = await house.signed_in("manager", "pit", house.codes["manager"])
            with held_up(house.venue.router.staff_auth.password_checks, PASSWORD_CHECKS_MAX):
                console.say("step_up", secret=secret_of("manager"))
                console.say("sign_out")
                await console.hear("signed_out")
            assert (await console.hear("refused"))["refusal"]["code"] == "signed_out"
            console.say("sign_in", person="manager", secret=secret_of("manager"))
            await console.hear("signed_in")
            await console.admitted()
            assert await console.acked("EnrolPerson", **CHANGE) == "step_up_needed"

    played(scenario)
