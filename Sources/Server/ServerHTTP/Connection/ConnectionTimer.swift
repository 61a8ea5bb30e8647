import NIOCore

/// Closes a connection when its deadline passes. Used on the connection's event loop only.
final class ConnectionTimer {
    private var deadline: ConnectionDeadline
    private let eventLoop: any EventLoop
    private var close: ((ConnectionDeadline.Limit) -> Void)?
    private var scheduled: (task: Scheduled<Void>, at: NIODeadline)?

    init(limits: HTTPLimits, eventLoop: any EventLoop) {
        deadline = ConnectionDeadline(limits, now: .now())
        self.eventLoop = eventLoop
    }

    var isDraining: Bool { deadline.isDraining }

    /// - Parameter close: called once or never, on the event loop, with the limit that expired.
    func start(close: @escaping (ConnectionDeadline.Limit) -> Void) {
        self.close = close
        arm()
    }

    func handle(_ event: ConnectionDeadline.Event) {
        deadline.handle(event, now: .now())
        arm()
    }

    func stop() {
        scheduled?.task.cancel()
        scheduled = nil
        close = nil
    }

    /// A timer that is too early is not cancelled: it fires and checks again. So nearly all requests need no timer of
    /// their own.
    private func arm() {
        guard close != nil else { return }
        let next = deadline.next.by
        if let scheduled, scheduled.at <= next { return }
        scheduled?.task.cancel()
        scheduled = (eventLoop.assumeIsolated().scheduleTask(deadline: next) { self.fire() }, next)
    }

    private func fire() {
        scheduled = nil
        let next = deadline.next
        if NIODeadline.now() >= next.by {
            let close = close
            self.close = nil
            close?(next.limit)
        } else {
            arm()
        }
    }
}
