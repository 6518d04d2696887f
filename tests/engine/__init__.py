"""The engine: sequencer, commit loop, starts, snapshots and standbys."""
