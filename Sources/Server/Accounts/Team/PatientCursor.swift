import AccessPolicy
import Core
import Crypto
import Foundation

/// The position of a reader in the changes of patients.
///
/// A cursor names the account, the identity of the store, and for each group with its audience the number of the last
/// change that the reader knows. It is authenticated: a reader cannot choose the numbers.
struct PatientCursor: Sendable, Hashable {
    /// Maximum number of bytes of the text.
    static let maximumBytes = 16 << 10

    let account: String
    let epoch: String
    /// The numbers of the last known changes. A group that the reader does not see any more stays until all its patients
    /// were reported.
    var known: [GroupAudience: Int64] = [:]
    /// The numbers up to which the reader knows each change of each patient. They are lower than those in `known` until
    /// the last page of a group was read: a patient on a later page may have earlier changes too.
    var complete: [GroupAudience: Int64] = [:]
    /// Positions in the reports of groups that were lost: the last reported account.
    var lost: [GroupAudience: String] = [:]

    /// Whether the reader may know patients from before a restore, which this cursor does not name. Then all patients who
    /// left are reported, until the reader has seen the whole list.
    var isRestarted = false

    /// Forgets a group, whose patients are then reported from the beginning.
    mutating func forget(_ group: GroupAudience) {
        known[group] = nil
        complete[group] = nil
        lost[group] = nil
    }

    /// Returns the cursor as a text.
    func text(key: Data) -> String {
        let groups = known.sorted { $0.key < $1.key }.map { entry -> JSON in
            var values: [JSON] = [
                .string(entry.key.group), .string(entry.key.audience.rawValue), .number(JSONNumber(entry.value)),
                .number(JSONNumber(complete[entry.key] ?? 0)),
            ]
            if let account = lost[entry.key] { values.append(.string(account)) }
            return .array(values)
        }
        let body = Data(JSON.array([.string(account), .string(epoch), .array(groups), .bool(isRestarted)]).bytes())
        let code = HMAC<SHA256>.authenticationCode(for: body, using: SymmetricKey(data: key))
        return (Data(code) + body).base64URL
    }

    /// Reads a cursor; nil if it was not made with this key, or for another account.
    init?(_ text: String, key: Data, account: String) {
        guard text.utf8.count <= Self.maximumBytes, let bytes = Data(base64URL: text), bytes.count > 32 else {
            return nil
        }
        let body = bytes.dropFirst(32)
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                bytes.prefix(32), authenticating: body, using: SymmetricKey(data: key)),
            let parts = JSON(reading: Array(body))?.array, parts.count == 4, parts[0].string == account,
            let epoch = parts[1].string, let groups = parts[2].array, let isRestarted = parts[3].bool
        else { return nil }
        self.account = account
        self.epoch = epoch
        self.isRestarted = isRestarted
        for entry in groups.compactMap(\.array) where entry.count >= 4 {
            guard let group = entry[0].string, let audience = entry[1].string.flatMap(TeamAudience.init(rawValue:)),
                let number = entry[2].integer, let complete = entry[3].integer
            else { return nil }
            let key = GroupAudience(group: group, audience: audience)
            known[key] = Int64(number)
            self.complete[key] = Int64(complete)
            if entry.count > 4 { lost[key] = entry[4].string }
        }
    }

    /// Whether a text that has another key is a cursor of another epoch: one from before a restore. It is not
    /// authenticated, and nothing of it is used.
    static func isOfAnotherEpoch(_ text: String, than epoch: String) -> Bool {
        guard text.utf8.count <= maximumBytes, let bytes = Data(base64URL: text), bytes.count > 32,
            let parts = JSON(reading: Array(bytes.dropFirst(32)))?.array, parts.count == 4,
            let other = parts[1].string
        else { return false }
        return other != epoch
    }

    init(account: String, epoch: String) {
        self.account = account
        self.epoch = epoch
    }
}
