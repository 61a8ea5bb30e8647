import Foundation

/// The state of a participant's consent, by the Contracts and withdrawals that came so far.
///
/// The state depends on what came and when it came, and not on the order in which it is handled; the same thing handled
/// twice changes nothing. A withdrawal ends the Contract that it names whenever that came, and every consent that came
/// before it; a late one that names an earlier Contract leaves alone what was signed after its own time. A Contract that
/// came after a withdrawal is consent again, whatever the two clocks said: a person who signs anew on a phone whose clock
/// runs behind must not lose what they send then. Where it is not known when something came, the times that it bears
/// decide.
public struct ConsentState: Sendable, Hashable, Codable {
    /// The status of the consent, which decides what becomes of data.
    public enum Status: Sendable, Hashable {
        /// There is no Contract: what comes is held.
        case none
        /// The Contract permits what comes.
        case consented(SignedContract)
        /// The consent is withdrawn: what comes is refused.
        case withdrawn(at: Date)
    }

    /// The part of a withdrawal that is kept.
    private struct Withdrawal: Sendable, Hashable, Codable {
        let contractID: String?
        let withdrawnAt: Date
        let arrival: ConsentArrival?

        /// Whether it ends a Contract.
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
    /// The ids of Contracts that were withdrawn by name.
    public private(set) var withdrawnContracts: Set<String>
    /// The last withdrawal of each Contract, by its id; under the empty text of those that name none.
    private var withdrawals: [String: Withdrawal]

    /// No Contract and no withdrawal.
    public init() {
        withdrawnContracts = []
        withdrawals = [:]
    }

    /// Reads one that was saved, also by a version that kept of withdrawals the latest time alone.
    public init(from decoder: any Decoder) throws {
        let saved = try decoder.container(keyedBy: CodingKeys.self)
        newest = try saved.decodeIfPresent(SignedContract.self, forKey: .newest)
        withdrawnAt = try saved.decodeIfPresent(Date.self, forKey: .withdrawnAt)
        withdrawnContracts = try saved.decode(Set<String>.self, forKey: .withdrawnContracts)
        let kept = try saved.decodeIfPresent([String: Withdrawal].self, forKey: .withdrawals)
        let former = withdrawnAt.map { ["": Withdrawal(contractID: nil, withdrawnAt: $0, arrival: nil)] }
        withdrawals = kept.flatMap { $0.isEmpty ? nil : $0 } ?? former ?? [:]
    }

    /// When the last withdrawal came; nil where there was none, or that was not kept.
    public var withdrawalArrival: ConsentArrival? { withdrawals.values.compactMap(\.arrival).max() }

    /// The state for what comes: the Contract in force, else the time of the last withdrawal; none where there was
    /// neither.
    public var status: Status {
        guard let withdrawnAt else { return newest.map(Status.consented) ?? .none }
        guard let newest, newest.contractID.map({ !withdrawnContracts.contains($0) }) ?? true,
            !withdrawals.values.contains(where: { $0.ends(newest) })
        else { return .withdrawn(at: withdrawnAt) }
        return .consented(newest)
    }

    /// The kinds of health data that the consent in force names, of those that are released only where they are named
    /// (``ConsentVocabulary/includesHealthData``); without consent none.
    public var includedHealthData: Set<String> {
        guard case .consented(let contract) = status else { return [] }
        return contract.includedHealthData
    }

    /// The state after a Contract. An older one than the newest changes nothing.
    public func applying(_ contract: SignedContract) -> ConsentState {
        var next = self
        if let newest {
            if ConsentState.isNewer(contract, than: newest) { next.newest = contract }
        } else {
            next.newest = contract
        }
        return next
    }

    /// The state after a withdrawal.
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

    /// By arrival, else by time, and for equal ones by content, so that the order of handling does not matter.
    private static func isNewer(_ left: SignedContract, than right: SignedContract) -> Bool {
        // What was saved without its arrival came before all that has one.
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
