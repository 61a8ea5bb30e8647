import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Stands behind the HTTP codec: tells the timer what becomes of requests and answers, and throws away what still comes
/// of a body after its answer, so that the client gets to read the answer.
final class RequestProgressHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Between two reads of what is thrown away: bodies that nobody wants must not take the server's time from those that
    /// are wanted. The largest that a study usually takes still goes by before the drain ends.
    private static let pause: TimeAmount = .milliseconds(5)

    private let timer: ConnectionTimer
    private var nextRead: Scheduled<Void>?

    init(timer: ConnectionTimer) { self.timer = timer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: timer.note(.head)
        case .body: if timer.isDraining { return }
        case .end: timer.note(.end)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // Nobody behind asks for more of a body that is thrown away.
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
        guard case .end = unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        // The promise is kept when the socket has taken the last byte, not when it is queued.
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.assumeIsolated().whenSuccess { [timer] in
            timer.note(.answered)
            if timer.isDraining { context.read() }
        }
        context.write(data, promise: written)
    }
}

@available(*, unavailable)
extension RequestProgressHandler: Sendable {}
