import NIOCore

/// Stands next to the socket, before TLS: sees the first byte of whatever comes and the end of all that comes, and closes
/// the connection, without waiting for TLS to take leave, when its time is over.
final class ArrivalHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let timer: ConnectionTimer
    private let onExpiry: @Sendable (ConnectionDeadline.Limit) -> Void

    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: called when the client sends nothing more: it closed the connection.
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
        timer.note(.bytes)
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension ArrivalHandler: Sendable {}
