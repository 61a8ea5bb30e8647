import NIOCore
import Synchronization

/// The budget of a listener's connections, in total and by address. A connection counts until it is closed and its
/// request is no longer handled. So a client that disconnects early does not get more work done than one that stays.
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

    let maximum: Int
    let maximumPerAddress: Int
    /// Networks that count only in total: the proxies that all clients share.
    let exempt: [IPNetwork]
    private let state = Mutex(State())

    init(maximum: Int, maximumPerAddress: Int, exempt: [IPNetwork] = []) {
        self.maximum = maximum
        self.maximumPerAddress = maximumPerAddress
        self.exempt = exempt
    }

    var open: Int { @inline(never) get { state.withLock { $0.open.count } } }
    var refused: Int { @inline(never) get { state.withLock { $0.refused } } }

    /// Counts a connection.
    @inline(never)
    func admit(_ channel: any Channel) -> Bool {
        let key = key(of: channel)
        let isAdmitted = state.withLock { state in
            guard state.open.count < maximum, key.map({ state.byAddress[$0, default: 0] < maximumPerAddress }) ?? true
            else {
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

    /// Cancels the task that handles a connection's request, because its client has disconnected.
    func clientLeft(_ channel: any Channel) { tasks(of: ObjectIdentifier(channel))?.end() }

    /// Returns the tasks of a connection; nil if the connection is not counted here.
    @inline(never)
    func tasks(of connection: ObjectIdentifier) -> ConnectionTasks? {
        state.withLock { $0.open[connection]?.tasks }
    }

    /// Marks the connection as handled until ``endHandling(_:)``.
    @inline(never)
    func beginHandling(_ channel: any Channel) {
        state.withLock { $0.open[ObjectIdentifier(channel)]?.isHandled = true }
    }

    /// Removes a connection that is closed and no longer handled.
    func endHandling(_ channel: any Channel) { remove(channel) { _ in true } }

    /// Closes all open connections, even while they are handled.
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
