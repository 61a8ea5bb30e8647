import Core
import Crypto
import Foundation
import Storage

/// The rules by which a store's facts were made, with the secret that pseudonyms and shifts come of. Both stand in the
/// records' store: who has i2b2's tables alone can tell neither.
struct AppliedDeidentification: Sendable {
    let rules: Deidentification
    private let key: SymmetricKey

    private init(_ rules: Deidentification, key: SymmetricKey) {
        self.rules = rules
        self.key = key
    }

    /// The rules that a store notes; where it notes none nothing is withheld.
    ///
    /// - Throws: ``Storage/StorageError`` `storage-corrupt` for rules that cannot be read: nothing is told by mistake.
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

    /// The participant's name in i2b2.
    func name(of participant: String) -> String {
        guard rules.isPseudonymous else { return participant }
        return Hexadecimal.text(Data(code("name", participant)).prefix(16))
    }

    /// By so many days the participant's dates are moved: 0, or less.
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
    /// 32 random bytes, of which pseudonyms and shifts are made.
    public static func newSecret() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }

    /// The rules by which the store's facts were made.
    public static func noted(in transaction: any SQLTransaction) throws -> Deidentification {
        try AppliedDeidentification(in: transaction).rules
    }

    /// Notes the rules, by which facts are made from now on; those that are there are to be loaded again. The secret stays
    /// the same, so that pseudonyms come back with their rule.
    ///
    /// - Parameter secret: 32 random bytes, for the first time.
    public func note(secret: [UInt8], in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO warehouse_rules (one, rules, secret) VALUES (1, ?, ?)
            ON CONFLICT (one) DO UPDATE SET rules = excluded.rules
            """, [SQLValue(json.text()), SQLValue(Hexadecimal.text(secret))])
    }

    /// Notes the rules of a store in which nobody has a number yet.
    public func noteIfEmpty(secret: [UInt8], in transaction: any SQLTransaction) throws {
        guard try Self.noted(in: transaction) != self,
            try transaction.first("SELECT 1 AS one FROM warehouse_patient LIMIT 1") == nil
        else { return }
        try note(secret: secret, in: transaction)
    }
}
