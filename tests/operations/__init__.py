"""Operations: backups, restores, checks and the control socket."""
