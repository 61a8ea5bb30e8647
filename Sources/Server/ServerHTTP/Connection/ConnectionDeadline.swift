import NIOCore

/// The next deadline of a connection, as a pure state machine: its input is the events and their times.
///
/// A client may send the next request before the last is answered (RFC 9112 section 9.3.2), and an answer may be
/// written before the request has ended. Reading and answering therefore have separate time limits.
struct ConnectionDeadline {
    enum Event: CaseIterable {
        /// Bytes arrived.
        case bytes
        /// A request's head is complete.
        case head
        /// A request is complete.
        case end
        /// The last byte of an answer is written to the socket.
        case answered
    }

    /// The time limit that ran out.
    enum Limit: String {
        case idle, header, body, answer, drain, request
    }

    struct Times {
        let idle, header, body, answer, drain, request: TimeAmount

        init(_ limits: HTTPLimits) {
            idle = TimeAmount(limits.idle)
            header = TimeAmount(limits.header)
            body = TimeAmount(limits.body)
            answer = TimeAmount(limits.answer)
            drain = TimeAmount(limits.drain)
            request = TimeAmount(limits.request)
        }
    }

    private enum RequestPart {
        case nothing, head, body
    }

    private let times: Times
    private var reading = RequestPart.nothing
    /// The number of requests whose head arrived and whose answer is not written.
    private var unanswered = 0
    private var read: (limit: Limit, by: NIODeadline)?
    private var answerBy: NIODeadline?
    private var requestBy: NIODeadline?

    /// Creates the state of a connection that is open and idle.
    init(_ limits: HTTPLimits, now: NIODeadline) {
        times = Times(limits)
        read = (.idle, now + times.idle)
    }

    /// Whether the rest of a request's body is still arriving after its answer.
    var isDraining: Bool { reading == .body && unanswered == 0 }

    /// The limit that expires first, and its time.
    var next: (limit: Limit, by: NIODeadline) {
        var next = read ?? (.request, .distantFuture)
        if let answerBy, answerBy < next.by { next = (.answer, answerBy) }
        if let requestBy, requestBy < next.by { next = (.request, requestBy) }
        return next
    }

    mutating func handle(_ event: Event, now: NIODeadline) {
        switch event {
        case .bytes:
            // Only the first byte counts: a client that sends its head byte by byte does not prolong the limit.
            guard reading == .nothing, unanswered == 0 else { return }
            reading = .head
            read = (.header, now + times.header)
            requestBy = now + times.request
        case .head:
            reading = .body
            unanswered += 1
            read = (.body, now + times.body)
            if requestBy == nil { requestBy = now + times.request }
        case .end:
            reading = .nothing
            read = nil
            if unanswered == 0 {
                rest(now)
            } else if answerBy == nil {
                answerBy = now + times.answer
            }
        case .answered:
            unanswered = max(0, unanswered - 1)
            answerBy = nil
            requestBy = nil
            if unanswered > 0 {
                requestBy = now + times.request
                if reading != .body || unanswered > 1 { answerBy = now + times.answer }
            } else if reading == .body {
                read = (.drain, min(now + times.drain, read?.by ?? .distantFuture))
            } else {
                rest(now)
            }
        }
    }

    private mutating func rest(_ now: NIODeadline) {
        reading = .nothing
        read = (.idle, now + times.idle)
        requestBy = nil
    }
}
