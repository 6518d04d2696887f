-- How many changes of bets each terminal made, and in how many rounds.
SELECT
    venue,
    day,
    terminal,
    "table",
    COUNT(*) AS changes,
    COUNT(DISTINCT round) AS rounds
FROM bets
GROUP BY venue, day, terminal, "table"
ORDER BY venue, day, terminal, "table"
