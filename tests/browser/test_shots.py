"""The pictures of the documentation: each one that is there can be taken anew, and each one that is taken is there."""

from pathlib import Path
from typing import Final

from playwright.sync_api import Browser

from tests.support.browser.recording import FRAMES_PER_S, LENGTH_S, RECORDING, SHOWN
from tests.support.browser.shots import SHOTS

SCREENS: Final = Path(__file__).parents[2] / "docs" / "screens"
#: How many bytes the recording may have.
MOST: Final = 3_000_000
#: Goes to the end of a recording, and reads what it is.
END: Final = """async (video) => {
  video.pause();
  if (video.readyState < 1) await new Promise((done) => video.addEventListener("loadedmetadata", done, { once: true }));
  const sought = new Promise((done) => video.addEventListener("seeked", done, { once: true }));
  video.currentTime = video.duration - 0.1;
  await sought;
  return { size: [video.videoWidth, video.videoHeight], length: video.duration, at: video.currentTime };
}"""


def test_every_picture_has_its_shot() -> None:
    """The folder of pictures holds those that are taken and the recording, no other and none twice."""
    wanted = [*(f"{shot.name}.png" for shot in SHOTS), RECORDING.name]
    assert sorted(path.name for path in SCREENS.iterdir()) == sorted(wanted)


def test_recording_plays(browser: Browser) -> None:
    """A browser plays the recording of a round, to its end and in its size."""
    recording = SCREENS / RECORDING
    page = browser.new_page()
    page.goto(recording.as_uri())
    found = page.locator("video").evaluate(END)
    page.close()

    assert found["size"] == list(SHOWN)
    assert abs(found["length"] - LENGTH_S) <= 1 / FRAMES_PER_S
    assert found["length"] - found["at"] <= 2 / FRAMES_PER_S
    assert recording.stat().st_size <= MOST
