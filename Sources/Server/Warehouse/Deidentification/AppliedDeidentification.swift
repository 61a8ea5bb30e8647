import Core
import Crypto
import Foundation
import Storage

/// The de-identification rules with which a store's facts were made, and the secret of pseudonyms and date shifts.
/// Both are stored in the records' store, so that a reader of i2b2's tables alone cannot compute either.
struct AppliedDeidentification: Sendable {
    let rules: Deidentification
    private let key: SymmetricKey

    private init(_ rules: Deidentification, key: SymmetricKey) {
        self.rules = rules
        self.key = key
    }

    /// Reads the rules of a store; without stored rules, nothing is withheld.
    ///
    /// - Throws: ``Storage/StorageError`` `storage-corrupt` for rules that cannot be read, so that nothing is
    ///   disclosed by mistake.
    init(in transaction: any SQLTransaction) throws {
        guard let row = try transaction.first("SELECT rules, secret FROM warehouse_rules WHERE one = 1") else {
            self.init(.none, key: SymmetricKey(data: []))
            return
        }
        guard let json = try? JSON(Data(try row.text("rules").utf8)), let rules = Deidentification(json),
            let secret = Hexadecimal.bytes(try row.text("secret")), secret.count == 32
        else {
            throw StorageError(
                code: "storage-corrupt",
                message: "The rules of de-identification cannot be read; restore the records from a backup.")
        }
        self.init(rules, key: SymmetricKey(data: secret))
    }

    /// Returns the participant's name in i2b2.
    func name(of participant: String) -> String {
        guard rules.isPseudonymous else { return participant }
        return Hexadecimal.text(Data(code("name", participant)).prefix(16))
    }

    /// Returns the number of days by which the participant's dates are moved: 0 or negative.
    func shift(of participant: String) -> Int {
        guard rules.dateShiftDays > 0 else { return 0 }
        let number = code("shift", participant).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return -1 - Int(number % UInt64(rules.dateShiftDays))
    }

    private func code(_ purpose: String, _ participant: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data("\(purpose) \(participant)".utf8), using: key)
    }
}

extension Deidentification {
    /// Returns 32 random bytes, from which pseudonyms and shifts are derived.
    package static func newSecret() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }

    /// Returns the rules with which the store's facts were made.
    package static func recorded(in transaction: any SQLTransaction) throws -> Deidentification {
        try AppliedDeidentification(in: transaction).rules
    }

    /// Stores the rules. Facts are made with them from now on; existing facts must be loaded again. The secret stays
    /// the same, so that a pseudonym returns when its rule does.
    ///
    /// - Parameter secret: 32 random bytes, used the first time.
    package func record(secret: [UInt8], in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO warehouse_rules (one, rules, secret) VALUES (1, ?, ?)
            ON CONFLICT (one) DO UPDATE SET rules = excluded.rules
            """, [SQLValue(json.text()), SQLValue(Hexadecimal.text(secret))])
    }

    /// Stores the rules, if no participant has a number yet.
    package func recordIfEmpty(secret: [UInt8], in transaction: any SQLTransaction) throws {
        guard try Self.recorded(in: transaction) != self,
            try transaction.first("SELECT 1 AS one FROM warehouse_patient LIMIT 1") == nil
        else { return }
        try record(secret: secret, in: transaction)
    }
}
