import NIOCore

/// The first handler after the socket, before TLS. It reports the first byte and the end of input to the timer, and
/// closes the connection when its time is over, without waiting for the TLS close.
final class ArrivalHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let timer: ConnectionTimer
    private let onExpiry: @Sendable (ConnectionDeadline.Limit) -> Void

    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: called when the client has closed the connection.
    init(
        timer: ConnectionTimer, onExpiry: @escaping @Sendable (ConnectionDeadline.Limit) -> Void,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.timer = timer
        self.onExpiry = onExpiry
        self.onEnd = onEnd
    }

    func handlerAdded(context: ChannelHandlerContext) {
        timer.start { [onExpiry] limit in
            onExpiry(limit)
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer.stop() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { onEnd() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        timer.handle(.bytes)
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension ArrivalHandler: Sendable {}
