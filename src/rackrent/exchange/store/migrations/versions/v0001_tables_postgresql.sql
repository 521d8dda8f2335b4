CREATE TABLE account (
    id TEXT COLLATE "C" NOT NULL,
    balance_micro_usd BIGINT NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT ck_account_1 CHECK (balance_micro_usd >= 0 OR id = 'world')
);

CREATE TABLE allocation (
    id TEXT COLLATE "C" NOT NULL,
    lease TEXT COLLATE "C" NOT NULL,
    gpu TEXT COLLATE "C" NOT NULL,
    machine TEXT COLLATE "C" NOT NULL,
    from_ms BIGINT NOT NULL,
    to_ms BIGINT,
    reason TEXT COLLATE "C",
    PRIMARY KEY (id),
    CONSTRAINT ck_allocation_reason CHECK (reason IN ('requested', 'waiting_for_gpu', 'host_report', 'host_error', 'host_silent', 'host_fenced', 'host_lost', 'instance_lost', 'orphan', 'image_error', 'creation_deadline', 'gpu_unhealthy', 'gpu_missing', 'clock_skew', 'owner_claimed', 'outbid', 'displaced', 'out_of_funds', 'grace_over', 'term_over', 'suspended')),
    CONSTRAINT ck_allocation_1 CHECK (to_ms IS NULL OR to_ms >= from_ms)
);

CREATE INDEX ix_allocation_gpu_to_ms ON allocation (gpu, to_ms);

CREATE INDEX ix_allocation_lease_to_ms ON allocation (lease, to_ms);

CREATE INDEX ix_allocation_machine_to_ms ON allocation (machine, to_ms);

CREATE UNIQUE INDEX uq_allocation_gpu ON allocation (gpu) WHERE to_ms IS NULL;

CREATE TABLE gpu (
    id TEXT COLLATE "C" NOT NULL,
    machine TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    memory_gb DOUBLE PRECISION NOT NULL,
    parent TEXT COLLATE "C",
    healthy BOOLEAN NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX ix_gpu_machine ON gpu (machine);

CREATE INDEX ix_gpu_parent ON gpu (parent);

CREATE TABLE incident (
    id TEXT COLLATE "C" NOT NULL,
    at_ms BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    machine TEXT COLLATE "C",
    lease TEXT COLLATE "C",
    text TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX ix_incident_lease ON incident (lease);

CREATE INDEX ix_incident_machine ON incident (machine);

CREATE TABLE instance (
    id TEXT COLLATE "C" NOT NULL,
    machine TEXT COLLATE "C" NOT NULL,
    intended TEXT COLLATE "C" NOT NULL,
    actual TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    since_ms BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    progress DOUBLE PRECISION,
    "over" BOOLEAN NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT ck_instance_intended CHECK (intended IN ('running', 'stopped', 'ended')),
    CONSTRAINT ck_instance_actual CHECK (actual IN ('creating', 'loading', 'starting', 'running', 'stopping', 'stopped', 'interrupted', 'unreachable', 'failed', 'ended')),
    CONSTRAINT ck_instance_reason CHECK (reason IN ('requested', 'waiting_for_gpu', 'host_report', 'host_error', 'host_silent', 'host_fenced', 'host_lost', 'instance_lost', 'orphan', 'image_error', 'creation_deadline', 'gpu_unhealthy', 'gpu_missing', 'clock_skew', 'owner_claimed', 'outbid', 'displaced', 'out_of_funds', 'grace_over', 'term_over', 'suspended'))
);

CREATE INDEX ix_instance_machine_over ON instance (machine, "over");

CREATE TABLE lease (
    id TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    machine TEXT COLLATE "C" NOT NULL,
    host TEXT COLLATE "C" NOT NULL,
    quote TEXT COLLATE "C" NOT NULL,
    rental TEXT COLLATE "C" NOT NULL,
    gpus BIGINT NOT NULL,
    cpu_cores BIGINT NOT NULL,
    ram_gb BIGINT NOT NULL,
    disk_gb BIGINT NOT NULL,
    address BIGINT NOT NULL,
    rate_micro_usd BIGINT NOT NULL,
    storage_rate_micro_usd BIGINT NOT NULL,
    hold_micro_usd BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    deadline_ms BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    delivered_ms BIGINT,
    ends_ms BIGINT,
    ended_ms BIGINT,
    settled_ms BIGINT NOT NULL,
    settlements BIGINT NOT NULL,
    metering BOOLEAN NOT NULL,
    storing BOOLEAN NOT NULL,
    until_ms BIGINT,
    gpu_remainder BIGINT NOT NULL,
    storage_remainder BIGINT NOT NULL,
    fee_remainder BIGINT NOT NULL,
    grace_ms BIGINT,
    low BOOLEAN NOT NULL,
    proposed_rate_micro_usd BIGINT,
    data_end TEXT COLLATE "C",
    PRIMARY KEY (id),
    CONSTRAINT ck_lease_rental CHECK (rental IN ('on_demand', 'interruptible', 'monthly', 'reserved_1y', 'reserved_3y')),
    CONSTRAINT ck_lease_state CHECK (state IN ('pending', 'active', 'reclaiming', 'ended')),
    CONSTRAINT ck_lease_reason CHECK (reason IN ('requested', 'waiting_for_gpu', 'host_report', 'host_error', 'host_silent', 'host_fenced', 'host_lost', 'instance_lost', 'orphan', 'image_error', 'creation_deadline', 'gpu_unhealthy', 'gpu_missing', 'clock_skew', 'owner_claimed', 'outbid', 'displaced', 'out_of_funds', 'grace_over', 'term_over', 'suspended')),
    CONSTRAINT ck_lease_data_end CHECK (data_end IN ('none_made', 'destroyed', 'unconfirmed')),
    CONSTRAINT ck_lease_1 CHECK (rate_micro_usd >= 0 AND gpus > 0),
    CONSTRAINT ck_lease_2 CHECK ((state = 'ended') = (ended_ms IS NOT NULL AND data_end IS NOT NULL)),
    CONSTRAINT ck_lease_3 CHECK (storage_rate_micro_usd >= 0 AND hold_micro_usd >= 0)
);

CREATE INDEX ix_lease_machine ON lease (machine);

CREATE INDEX ix_lease_project ON lease (project);

CREATE UNIQUE INDEX uq_lease_machine_address ON lease (machine, address) WHERE ended_ms IS NULL;

CREATE UNIQUE INDEX uq_lease_quote ON lease (quote);

CREATE TABLE machine (
    id TEXT COLLATE "C" NOT NULL,
    host TEXT COLLATE "C" NOT NULL,
    country TEXT COLLATE "C" NOT NULL,
    latitude DOUBLE PRECISION NOT NULL,
    longitude DOUBLE PRECISION NOT NULL,
    cpu_cores BIGINT NOT NULL,
    ram_gb BIGINT NOT NULL,
    disk_gb BIGINT NOT NULL,
    addresses BIGINT NOT NULL,
    disk_gb_leased BIGINT NOT NULL,
    addresses_leased BIGINT NOT NULL,
    inet_down_mbps DOUBLE PRECISION,
    inet_up_mbps DOUBLE PRECISION,
    reliability DOUBLE PRECISION,
    on_demand_micro_usd BIGINT,
    min_bid_micro_usd BIGINT,
    monthly_micro_usd BIGINT,
    reserved_1y_micro_usd BIGINT,
    reserved_3y_micro_usd BIGINT,
    storage_micro_usd_per_gb_month BIGINT NOT NULL,
    until_ms BIGINT,
    trust TEXT COLLATE "C" NOT NULL,
    claim TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    reachable BOOLEAN NOT NULL,
    last_heard_ms BIGINT NOT NULL,
    boot TEXT COLLATE "C" NOT NULL,
    monotonic_ms BIGINT NOT NULL,
    skewed BOOLEAN NOT NULL,
    desired_seq BIGINT NOT NULL,
    report_seq BIGINT NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT ck_machine_trust CHECK (trust IN ('unverified', 'verified', 'suspended')),
    CONSTRAINT ck_machine_claim CHECK (claim IN ('owner', 'unclaimed', 'claimed', 'draining')),
    CONSTRAINT ck_machine_reason CHECK (reason IN ('requested', 'waiting_for_gpu', 'host_report', 'host_error', 'host_silent', 'host_fenced', 'host_lost', 'instance_lost', 'orphan', 'image_error', 'creation_deadline', 'gpu_unhealthy', 'gpu_missing', 'clock_skew', 'owner_claimed', 'outbid', 'displaced', 'out_of_funds', 'grace_over', 'term_over', 'suspended')),
    CONSTRAINT ck_machine_1 CHECK (disk_gb_leased BETWEEN 0 AND disk_gb),
    CONSTRAINT ck_machine_2 CHECK (addresses_leased BETWEEN 0 AND addresses)
);

CREATE INDEX ix_machine_host ON machine (host);

CREATE TABLE project (
    id TEXT COLLATE "C" NOT NULL,
    account TEXT COLLATE "C" NOT NULL,
    budget_micro_usd BIGINT,
    month TEXT COLLATE "C" NOT NULL,
    spent_micro_usd BIGINT NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE quote (
    id TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    machine TEXT COLLATE "C" NOT NULL,
    rental TEXT COLLATE "C" NOT NULL,
    gpus BIGINT NOT NULL,
    cpu_cores BIGINT NOT NULL,
    ram_gb BIGINT NOT NULL,
    disk_gb BIGINT NOT NULL,
    rate_micro_usd BIGINT NOT NULL,
    storage_rate_micro_usd BIGINT NOT NULL,
    hold_micro_usd BIGINT NOT NULL,
    reserve_micro_usd BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    lease TEXT COLLATE "C",
    PRIMARY KEY (id),
    CONSTRAINT ck_quote_rental CHECK (rental IN ('on_demand', 'interruptible', 'monthly', 'reserved_1y', 'reserved_3y'))
);

CREATE INDEX ix_quote_project ON quote (project);

CREATE TABLE request (
    id TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    made TEXT COLLATE "C" NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE settlement (
    id TEXT COLLATE "C" NOT NULL,
    lease TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    from_ms BIGINT NOT NULL,
    to_ms BIGINT NOT NULL,
    metered BOOLEAN NOT NULL,
    gpu_micro_usd BIGINT NOT NULL,
    storage_micro_usd BIGINT NOT NULL,
    fee_micro_usd BIGINT NOT NULL,
    uncollected_micro_usd BIGINT NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT ck_settlement_1 CHECK (to_ms > from_ms),
    CONSTRAINT ck_settlement_2 CHECK (number >= 1),
    CONSTRAINT ck_settlement_3 CHECK (metered OR gpu_micro_usd = 0),
    CONSTRAINT ck_settlement_4 CHECK (gpu_micro_usd >= 0 AND storage_micro_usd >= 0 AND fee_micro_usd >= 0 AND uncollected_micro_usd >= 0),
    CONSTRAINT ck_settlement_5 CHECK (uncollected_micro_usd <= gpu_micro_usd + storage_micro_usd)
);

CREATE UNIQUE INDEX uq_settlement_lease_from_ms ON settlement (lease, from_ms);

CREATE UNIQUE INDEX uq_settlement_lease_number ON settlement (lease, number);

CREATE TABLE timer (
    id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    due_ms BIGINT NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT ck_timer_kind CHECK (kind IN ('creation', 'settle', 'silence', 'fence', 'lost', 'grace', 'term', 'notice'))
);

CREATE INDEX ix_timer_due_ms ON timer (due_ms, id);

CREATE TABLE transfer (
    id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    debit TEXT COLLATE "C" NOT NULL,
    credit TEXT COLLATE "C" NOT NULL,
    amount_micro_usd BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    lease TEXT COLLATE "C",
    reverses TEXT COLLATE "C",
    PRIMARY KEY (id),
    CONSTRAINT ck_transfer_kind CHECK (kind IN ('top_up', 'hold', 'release', 'use', 'fee', 'forfeit', 'downtime_credit', 'payout', 'reversal')),
    CONSTRAINT ck_transfer_1 CHECK (amount_micro_usd > 0),
    CONSTRAINT ck_transfer_2 CHECK (debit <> credit)
);

CREATE INDEX ix_transfer_lease ON transfer (lease);

CREATE UNIQUE INDEX uq_transfer_reverses ON transfer (reverses);
