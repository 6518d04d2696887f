-- The share of the stakes at risk that the house has won, by table and gaming day.
SELECT
    venue,
    day,
    "table",
    SUM(staked) - SUM(refunded) AS at_risk,
    SUM(staked) - SUM(returned) - SUM(refunded) AS won,
    CAST(SUM(staked) - SUM(returned) - SUM(refunded) AS DOUBLE PRECISION)
        / NULLIF(SUM(staked) - SUM(refunded), 0) AS hold
FROM rounds
GROUP BY venue, day, "table"
ORDER BY venue, day, "table"
