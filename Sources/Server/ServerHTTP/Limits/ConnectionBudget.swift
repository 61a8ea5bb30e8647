import NIOCore
import Synchronization

/// The budget of a listener's connections, in all and by address. A connection counts until it is closed and nothing
/// works on its request any more: whoever asks and goes away does not get more work done than who stays.
final class ConnectionBudget: Sendable {
    private struct Connection {
        let channel: any Channel
        let key: IPAddress?
        let tasks = ConnectionTasks()
        var isHandled = false
    }

    private struct State {
        var open: [ObjectIdentifier: Connection] = [:]
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

    var open: Int { @inline(never) get { state.withLock { $0.open.count } } }
    var refused: Int { @inline(never) get { state.withLock { $0.refused } } }

    /// Counts a connection, or says no.
    @inline(never)
    func admit(_ channel: any Channel) -> Bool {
        let key = key(of: channel)
        let isAdmitted = state.withLock { state in
            guard state.open.count < most, key.map({ state.byAddress[$0, default: 0] < mostPerAddress }) ?? true else {
                state.refused += 1
                return false
            }
            state.open[ObjectIdentifier(channel)] = Connection(channel: channel, key: key)
            if let key { state.byAddress[key, default: 0] += 1 }
            return true
        }
        if isAdmitted {
            channel.closeFuture.whenComplete { _ in
                self.clientLeft(channel)
                self.remove(channel) { !$0.isHandled }
            }
        }
        return isAdmitted
    }

    /// The client of a connection is gone: the task that works on its request is cancelled.
    func clientLeft(_ channel: any Channel) { tasks(of: ObjectIdentifier(channel))?.end() }

    /// What runs the tasks of a connection; nil where it is not counted here.
    @inline(never)
    func tasks(of connection: ObjectIdentifier) -> ConnectionTasks? {
        state.withLock { $0.open[connection]?.tasks }
    }

    /// Requests of the connection are worked on from now on, until ``endHandling(_:)``.
    @inline(never)
    func beginHandling(_ channel: any Channel) {
        state.withLock { $0.open[ObjectIdentifier(channel)]?.isHandled = true }
    }

    /// Nothing works on requests of the connection any more, and it is closed.
    func endHandling(_ channel: any Channel) { remove(channel) { _ in true } }

    /// Closes what is open, whatever it is doing.
    @inline(never)
    func closeAll() {
        for connection in state.withLock({ Array($0.open.values) }) { connection.channel.close(promise: nil) }
    }

    @inline(never)
    private func remove(_ channel: any Channel, where condition: (Connection) -> Bool) {
        state.withLock { state in
            guard let connection = state.open[ObjectIdentifier(channel)], condition(connection) else { return }
            state.open[ObjectIdentifier(channel)] = nil
            guard let key = connection.key, let count = state.byAddress[key] else { return }
            state.byAddress[key] = count > 1 ? count - 1 : nil
        }
    }

    private func key(of channel: any Channel) -> IPAddress? {
        guard let address = channel.remoteAddress.flatMap(IPAddress.init) else { return nil }
        return exempt.contains { $0.contains(address) } ? nil : address.subscriber
    }
}
