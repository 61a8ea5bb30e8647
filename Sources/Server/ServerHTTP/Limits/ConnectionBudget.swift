import NIOCore
import Synchronization

/// How many connections a listener has open, in all and by address.
final class ConnectionBudget: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var byAddress: [IPAddress: Int] = [:]
        var refused = 0
    }

    let most: Int
    let mostPerAddress: Int
    /// Addresses that count in all, but not by address: the proxies behind which everybody is.
    let exempt: [IPNetwork]
    private let state = Mutex(State())

    init(most: Int, mostPerAddress: Int, exempt: [IPNetwork] = []) {
        self.most = most
        self.mostPerAddress = mostPerAddress
        self.exempt = exempt
    }

    var open: Int { state.withLock { $0.open.count } }
    var refused: Int { state.withLock { $0.refused } }

    /// Counts a connection until it is closed, or says no.
    func admit(_ channel: any Channel) -> Bool {
        let key = key(of: channel)
        let isAdmitted = state.withLock { state in
            guard state.open.count < most, key.map({ state.byAddress[$0, default: 0] < mostPerAddress }) ?? true else {
                state.refused += 1
                return false
            }
            state.open[ObjectIdentifier(channel)] = channel
            if let key { state.byAddress[key, default: 0] += 1 }
            return true
        }
        if isAdmitted { channel.closeFuture.whenComplete { _ in self.release(ObjectIdentifier(channel), key) } }
        return isAdmitted
    }

    /// Closes what is open, whatever it is doing.
    func closeAll() {
        for channel in state.withLock({ Array($0.open.values) }) { channel.close(promise: nil) }
    }

    private func release(_ identifier: ObjectIdentifier, _ key: IPAddress?) {
        state.withLock { state in
            state.open[identifier] = nil
            guard let key, let count = state.byAddress[key] else { return }
            state.byAddress[key] = count > 1 ? count - 1 : nil
        }
    }

    private func key(of channel: any Channel) -> IPAddress? {
        guard let address = channel.remoteAddress.flatMap(IPAddress.init) else { return nil }
        return exempt.contains { $0.contains(address) } ? nil : address.subscriber
    }
}
