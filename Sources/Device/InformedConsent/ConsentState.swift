import Foundation

/// Where a participant stands, by the Contracts and withdrawals that came so far.
///
/// The state depends on what came and not on the order in which it came, and the same thing coming twice changes
/// nothing: messages are delivered more than once and past each other. A withdrawal ends every consent up to its time,
/// and the Contract that it names whatever the clocks said; a Contract signed later is consent again.
public struct ConsentState: Sendable, Hashable, Codable {
    /// What the state means for data.
    public enum Status: Sendable, Hashable {
        /// There is no Contract: what comes is held.
        case none
        /// The Contract permits what comes.
        case consented(SignedContract)
        /// What comes is refused.
        case withdrawn(at: Date)
    }

    /// The Contract that was signed last.
    public private(set) var newest: SignedContract?
    /// The time of the last withdrawal.
    public private(set) var withdrawnAt: Date?
    /// The ids of Contracts that were withdrawn by name.
    public private(set) var withdrawnContracts: Set<String>

    /// No Contract and no withdrawal.
    public init() { withdrawnContracts = [] }

    public var status: Status {
        if let withdrawnAt {
            guard let newest, newest.signedAt > withdrawnAt,
                newest.contractID.map({ !withdrawnContracts.contains($0) }) ?? true
            else { return .withdrawn(at: withdrawnAt) }
            return .consented(newest)
        }
        return newest.map(Status.consented) ?? .none
    }

    /// What of health data that leaves only by name the consent in force names
    /// (``ConsentVocabulary/includesHealthData``); without consent nothing.
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
        return next
    }

    /// By time, and for equal times by content, so that the order of arrival does not matter.
    private static func isNewer(_ left: SignedContract, than right: SignedContract) -> Bool {
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
