import HealthData

/// What was read of an export and is to be converted: it goes from the core that reads to the one that converts.
struct ExportBatch: Sendable {
    enum Role: Sendable {
        case standalone
        /// A sample that may be a member of a correlation, outside of one.
        case loose
        /// A member of the correlation that is handed on next.
        case claimed
        case correlation
    }

    struct Item: Sendable {
        let sample: HealthSample
        let row: Int
        let role: Role
    }

    /// A record with a structure of its own.
    struct Special: Sendable {
        let record: any SpecialRecord
        /// The row of the account; nil for what is no element of the XML.
        let row: Int?
        let repairs: Repairs
    }

    var items: [Item] = []
    var specials: [Special] = []
    /// The rows of the account that came up since the last batch, in order: both sides number them alike.
    var rows: [String] = []
    var progress = HealthProgress()
}

extension HealthConversion {
    /// Converts what waits, and gives the whole account.
    func finish(with read: HealthAccount) throws -> HealthAccount {
        try finish()
        account.merge(read)
        return account
    }

    func take(_ batch: ExportBatch) throws {
        for name in batch.rows { _ = account.row(for: name) }
        let identities = identities(of: batch.items.lazy.map(\.sample))
        for (item, identity) in zip(batch.items, identities) {
            switch item.role {
            case .standalone: try add(item.sample, row: item.row, identity: identity)
            case .loose: try addMember(item.sample, row: item.row)
            case .claimed: claim(item.sample)
            case .correlation: try addCorrelation(item.sample, row: item.row)
            }
        }
        for special in batch.specials { try add(special.record, row: special.row, repairs: special.repairs) }
    }
}
