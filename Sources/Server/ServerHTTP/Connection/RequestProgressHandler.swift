import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Reports the progress of requests and answers to the timer, after the HTTP codec. Discards the rest of a body that
/// arrives after its answer, so that the client can read the answer.
final class RequestProgressHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The pause between two reads of a discarded body: discarding must not take time from requests that are served.
    /// The largest usual body of a study still arrives before the drain ends.
    private static let pause: TimeAmount = .milliseconds(5)

    private let timer: ConnectionTimer
    private var nextRead: Scheduled<Void>?
    /// Whether a request arrived whose answer has not begun.
    private var mayContinue = false

    init(timer: ConnectionTimer) { self.timer = timer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            mayContinue = true
            timer.handle(.head)
        case .body: if timer.isDraining { return }
        case .end: timer.handle(.end)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // No later handler requests more of a discarded body.
        if timer.isDraining { readLater(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        nextRead?.cancel()
        nextRead = nil
    }

    private func readLater(_ context: ChannelHandlerContext) {
        guard nextRead == nil else { return }
        nextRead = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { [weak self] in
            guard let self, nextRead != nil else { return }
            nextRead = nil
            context.read()
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        if case .head(let head) = part, head.status.kind != .informational { mayContinue = false }
        guard case .end = part else {
            context.write(data, promise: promise)
            return
        }
        // The promise succeeds when the socket has taken the last byte, not when the byte is queued.
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.assumeIsolated().whenSuccess { [timer] in
            timer.handle(.answered)
            if timer.isDraining { context.read() }
        }
        context.write(data, promise: written)
    }

    /// Sends `100 (Continue)` if the answer has not begun.
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is ContinuingBody.Continue else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        if mayContinue {
            mayContinue = false
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
        promise?.succeed(())
    }
}

@available(*, unavailable)
extension RequestProgressHandler: Sendable {}
