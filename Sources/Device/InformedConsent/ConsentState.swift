import Foundation

/// The state of a participant's consent, computed from the Contracts and withdrawals that have arrived.
///
/// The state depends on the content and the arrivals, not on the order of processing; processing the same resource
/// twice changes nothing. A withdrawal ends the Contract that it refers to, whenever that Contract arrives, and every
/// consent that arrived before the withdrawal. A withdrawal that refers to an earlier Contract does not end a Contract
/// that was signed after the withdrawal's own time. A Contract that arrived after a withdrawal is a new consent,
/// whatever the two clocks show: a person who signs again on a phone whose clock is slow must not lose the data that
/// they then send. If an arrival is unknown, the times in the resources decide.
public struct ConsentState: Sendable, Hashable, Codable {
    /// The status of the consent, which decides how data is handled.
    public enum Status: Sendable, Hashable {
        /// There is no Contract: data is held.
        case none
        /// The Contract permits data.
        case consented(SignedContract)
        /// The consent is withdrawn: data is refused.
        case withdrawn(at: Date)
    }

    /// The stored part of a withdrawal.
    private struct Withdrawal: Sendable, Hashable, Codable {
        let contractID: String?
        let withdrawnAt: Date
        let arrival: ConsentArrival?

        /// Returns whether the withdrawal ends a Contract.
        func ends(_ contract: SignedContract) -> Bool {
            guard let signed = contract.arrival, let withdrawn = arrival, signed != withdrawn else {
                return withdrawnAt >= contract.signedAt
            }
            guard withdrawn > signed else { return false }
            return contractID == nil || contractID == contract.contractID || withdrawnAt >= contract.signedAt
        }

        func isLater(than other: Withdrawal) -> Bool {
            if arrival != other.arrival {
                guard let arrival else { return false }
                return other.arrival.map { arrival > $0 } ?? true
            }
            return withdrawnAt > other.withdrawnAt
        }
    }

    /// The Contract that was signed last.
    public private(set) var newest: SignedContract?
    /// The time of the last withdrawal.
    public private(set) var withdrawnAt: Date?
    /// The ids of Contracts that a withdrawal referred to.
    public private(set) var withdrawnContracts: Set<String>
    /// The last withdrawal of each Contract, by its id. The empty key is for withdrawals that refer to no Contract.
    private var withdrawals: [String: Withdrawal]

    /// Creates a state without a Contract and without a withdrawal.
    public init() {
        withdrawnContracts = []
        withdrawals = [:]
    }

    /// Decodes a saved state, also from a version that stored only the latest time of withdrawal.
    public init(from decoder: any Decoder) throws {
        let saved = try decoder.container(keyedBy: CodingKeys.self)
        newest = try saved.decodeIfPresent(SignedContract.self, forKey: .newest)
        withdrawnAt = try saved.decodeIfPresent(Date.self, forKey: .withdrawnAt)
        withdrawnContracts = try saved.decode(Set<String>.self, forKey: .withdrawnContracts)
        let kept = try saved.decodeIfPresent([String: Withdrawal].self, forKey: .withdrawals)
        let former = withdrawnAt.map { ["": Withdrawal(contractID: nil, withdrawnAt: $0, arrival: nil)] }
        withdrawals = kept.flatMap { $0.isEmpty ? nil : $0 } ?? former ?? [:]
    }

    /// The arrival of the last withdrawal; nil if there was none, or if its arrival was not stored.
    public var withdrawalArrival: ConsentArrival? { withdrawals.values.compactMap(\.arrival).max() }

    /// The current status: the Contract in force, or the time of the last withdrawal; none if there was neither.
    public var status: Status {
        guard let withdrawnAt else { return newest.map(Status.consented) ?? .none }
        guard let newest, newest.contractID.map({ !withdrawnContracts.contains($0) }) ?? true,
            !withdrawals.values.contains(where: { $0.ends(newest) })
        else { return .withdrawn(at: withdrawnAt) }
        return .consented(newest)
    }

    /// The kinds of health data that the consent in force includes, among those that require inclusion
    /// (``ConsentVocabulary/includesHealthData``); empty without consent.
    public var includedHealthData: Set<String> {
        guard case .consented(let contract) = status else { return [] }
        return contract.includedHealthData
    }

    /// Returns the state after a Contract. A Contract that is older than the newest changes nothing.
    public func applying(_ contract: SignedContract) -> ConsentState {
        var next = self
        if let newest {
            if ConsentState.isNewer(contract, than: newest) { next.newest = contract }
        } else {
            next.newest = contract
        }
        return next
    }

    /// Returns the state after a withdrawal.
    public func applying(_ withdrawal: ConsentWithdrawal) -> ConsentState {
        var next = self
        next.withdrawnAt = max(withdrawnAt ?? withdrawal.withdrawnAt, withdrawal.withdrawnAt)
        if let id = withdrawal.contractID { next.withdrawnContracts.insert(id) }
        let new = Withdrawal(
            contractID: withdrawal.contractID, withdrawnAt: withdrawal.withdrawnAt, arrival: withdrawal.arrival)
        let key = withdrawal.contractID ?? ""
        if let known = withdrawals[key], !new.isLater(than: known) { return next }
        next.withdrawals[key] = new
        return next
    }

    /// Orders Contracts by arrival, otherwise by time, and equal ones by content, so that the order of processing does
    /// not matter.
    private static func isNewer(_ left: SignedContract, than right: SignedContract) -> Bool {
        // A saved Contract without an arrival is older than all Contracts with one.
        if left.arrival != right.arrival {
            guard let own = left.arrival else { return false }
            return right.arrival.map { own > $0 } ?? true
        }
        if left.signedAt != right.signedAt { return left.signedAt > right.signedAt }
        return key(left) > key(right)
    }

    private static func key(_ contract: SignedContract) -> String {
        let sharing = contract.sharing.map { $0 ? "1" : "0" } ?? ""
        return [
            contract.contractID ?? "", contract.templateURL ?? "", contract.templateVersion ?? "", contract.subject,
            sharing, contract.includedHealthData.sorted().joined(separator: ","),
        ].joined(separator: "\u{0}")
    }
}
