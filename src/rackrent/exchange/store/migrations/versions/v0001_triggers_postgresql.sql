-- The balances of accounts change when transfers are inserted, and in no other way. A batch is one statement: its accounts
-- are made and locked in the order of their ids, so that two batches wait for each other and never deadlock.
-- The planner sees the batch of whichever call came first, so that it is told to go by the index.
CREATE FUNCTION move_money() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    short text;
BEGIN
    INSERT INTO account (id, balance_micro_usd)
    SELECT named.id, 0 FROM (SELECT debit AS id FROM added UNION SELECT credit FROM added) AS named
    WHERE NOT EXISTS (SELECT 1 FROM account WHERE account.id = named.id)
    ORDER BY named.id ON CONFLICT (id) DO NOTHING;

    PERFORM 1 FROM account WHERE id IN (SELECT debit FROM added UNION SELECT credit FROM added) ORDER BY id FOR UPDATE;

    -- Only a statement that begins now sees what those we waited for have left.
    SELECT account.id INTO short FROM (
        SELECT side.id, sum(side.amount) AS amount FROM (
            SELECT debit AS id, -amount_micro_usd AS amount FROM added
            UNION ALL SELECT credit, amount_micro_usd FROM added
        ) AS side GROUP BY side.id
    ) AS moves JOIN account ON account.id = moves.id
    WHERE account.balance_micro_usd + moves.amount < 0 AND account.id <> 'world'
    ORDER BY account.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'There is not enough money in %.', short
        USING ERRCODE = 'check_violation', CONSTRAINT = 'covered', DETAIL = short;
    END IF;

    UPDATE account SET balance_micro_usd = balance_micro_usd + moves.amount
    FROM (
        SELECT side.id, sum(side.amount) AS amount FROM (
            SELECT debit AS id, -amount_micro_usd AS amount FROM added
            UNION ALL SELECT credit, amount_micro_usd FROM added
        ) AS side GROUP BY side.id
    ) AS moves WHERE account.id = moves.id;
    RETURN NULL;
END $$;

CREATE TRIGGER transfer_moves AFTER INSERT ON transfer REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION move_money();

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'Rows of % are never changed.', TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'append_only', TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER transfer_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transfer
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER settlement_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON settlement
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER account_append_only BEFORE DELETE OR TRUNCATE ON account
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Depth 1 is somebody's own statement, depth 2 that of `move_money`.
CREATE TRIGGER account_moved BEFORE INSERT OR UPDATE ON account
FOR EACH STATEMENT WHEN (pg_trigger_depth() < 1) EXECUTE FUNCTION refuse_change();

-- Interval n of a lease begins where interval n - 1 ends.
CREATE FUNCTION follow_on() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM added WHERE added.number > 1 AND NOT EXISTS (
            SELECT 1 FROM settlement AS before
            WHERE before.lease = added.lease AND before.number = added.number - 1 AND before.to_ms = added.from_ms
        )
    ) THEN
        RAISE EXCEPTION 'An interval begins where the one before it ends.'
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'chain', TABLE = 'settlement';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER settlement_chain AFTER INSERT ON settlement REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION follow_on();
