-- The balances of accounts change when transfers are inserted, and in no other way: `moving` holds a row only while the
-- trigger of a transfer is at work.
CREATE TABLE moving (transfer TEXT NOT NULL);

CREATE TRIGGER transfer_moves AFTER INSERT ON transfer BEGIN
    INSERT INTO moving (transfer) VALUES (NEW.id);
    INSERT INTO account (id, balance_micro_usd) VALUES (NEW.debit, 0) ON CONFLICT (id) DO NOTHING;
    UPDATE account SET balance_micro_usd = balance_micro_usd - NEW.amount_micro_usd WHERE id = NEW.debit;
    INSERT INTO account (id, balance_micro_usd) VALUES (NEW.credit, NEW.amount_micro_usd)
    ON CONFLICT (id) DO UPDATE SET balance_micro_usd = balance_micro_usd + excluded.balance_micro_usd;
    DELETE FROM moving;
END;

CREATE TRIGGER account_made BEFORE INSERT ON account WHEN NOT EXISTS (SELECT 1 FROM moving) BEGIN
    SELECT RAISE(ABORT, 'append only account');
END;

CREATE TRIGGER account_moved BEFORE UPDATE ON account WHEN NOT EXISTS (SELECT 1 FROM moving) BEGIN
    SELECT RAISE(ABORT, 'append only account');
END;

-- SQLite keeps a text in a column of numbers, and compares it as more than any of them.
CREATE TRIGGER transfer_counted BEFORE INSERT ON transfer WHEN typeof(NEW.amount_micro_usd) <> 'integer' BEGIN
    SELECT RAISE(ABORT, 'out of range');
END;

-- A sum beyond 64 bits becomes a floating-point number.
CREATE TRIGGER account_bounded BEFORE UPDATE ON account WHEN typeof(NEW.balance_micro_usd) <> 'integer' BEGIN
    SELECT RAISE(ABORT, 'out of range');
END;

CREATE TRIGGER account_append_only BEFORE DELETE ON account BEGIN
    SELECT RAISE(ABORT, 'append only account');
END;

CREATE TRIGGER transfer_unchanged BEFORE UPDATE ON transfer BEGIN
    SELECT RAISE(ABORT, 'append only transfer');
END;

CREATE TRIGGER transfer_append_only BEFORE DELETE ON transfer BEGIN
    SELECT RAISE(ABORT, 'append only transfer');
END;

CREATE TRIGGER settlement_unchanged BEFORE UPDATE ON settlement BEGIN
    SELECT RAISE(ABORT, 'append only settlement');
END;

CREATE TRIGGER settlement_append_only BEFORE DELETE ON settlement BEGIN
    SELECT RAISE(ABORT, 'append only settlement');
END;

-- INSERT OR REPLACE deletes what is in its way, and SQLite runs no trigger for that.
CREATE TRIGGER transfer_replaced BEFORE INSERT ON transfer
WHEN EXISTS (SELECT 1 FROM transfer WHERE id = NEW.id) BEGIN
    SELECT RAISE(ABORT, 'UNIQUE constraint failed: transfer.id');
END;

CREATE TRIGGER transfer_reversed BEFORE INSERT ON transfer
WHEN EXISTS (SELECT 1 FROM transfer WHERE reverses = NEW.reverses) BEGIN
    SELECT RAISE(ABORT, 'UNIQUE constraint failed: transfer.reverses');
END;

CREATE TRIGGER settlement_replaced BEFORE INSERT ON settlement
WHEN EXISTS (SELECT 1 FROM settlement WHERE id = NEW.id) BEGIN
    SELECT RAISE(ABORT, 'UNIQUE constraint failed: settlement.id');
END;

CREATE TRIGGER settlement_numbered BEFORE INSERT ON settlement
WHEN EXISTS (SELECT 1 FROM settlement WHERE lease = NEW.lease AND number = NEW.number) BEGIN
    SELECT RAISE(ABORT, 'UNIQUE constraint failed: settlement.lease, settlement.number');
END;

CREATE TRIGGER settlement_covered BEFORE INSERT ON settlement
WHEN EXISTS (SELECT 1 FROM settlement WHERE lease = NEW.lease AND from_ms = NEW.from_ms) BEGIN
    SELECT RAISE(ABORT, 'UNIQUE constraint failed: settlement.lease, settlement.from_ms');
END;

-- Interval n of a lease begins where interval n - 1 ends.
CREATE TRIGGER settlement_chain AFTER INSERT ON settlement
WHEN NEW.number > 1 AND NOT EXISTS (
    SELECT 1 FROM settlement WHERE lease = NEW.lease AND number = NEW.number - 1 AND to_ms = NEW.from_ms
) BEGIN
    SELECT RAISE(ABORT, 'chain');
END;
