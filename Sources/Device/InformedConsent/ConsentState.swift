import Foundation

/// Where a participant stands, by the Contracts and withdrawals that came so far.
///
/// The state depends on what came and when it came, and not on the order in which it is handled; the same thing handled
/// twice changes nothing. A withdrawal ends every consent that came before it, and the Contract that it names whenever
/// that came; a Contract that came later is consent again, whatever the two clocks said: a person who signs anew on a
/// phone whose clock runs behind must not lose what they send then. Where it is not known when something came, the times
/// that it bears decide.
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
    /// When the last withdrawal came.
    public private(set) var withdrawalArrival: ConsentArrival?
    /// The ids of Contracts that were withdrawn by name.
    public private(set) var withdrawnContracts: Set<String>

    /// No Contract and no withdrawal.
    public init() { withdrawnContracts = [] }

    public var status: Status {
        if let withdrawnAt {
            guard let newest, isLater(newest, than: withdrawnAt),
                newest.contractID.map({ !withdrawnContracts.contains($0) }) ?? true
            else { return .withdrawn(at: withdrawnAt) }
            return .consented(newest)
        }
        return newest.map(Status.consented) ?? .none
    }

    private func isLater(_ contract: SignedContract, than withdrawnAt: Date) -> Bool {
        if let signed = contract.arrival, let withdrawn = withdrawalArrival, signed != withdrawn {
            return signed > withdrawn
        }
        return contract.signedAt > withdrawnAt
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
        if let arrival = withdrawal.arrival { next.withdrawalArrival = max(withdrawalArrival ?? arrival, arrival) }
        if let id = withdrawal.contractID { next.withdrawnContracts.insert(id) }
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
