import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// HTTP/1.1 on one connection, with or without TLS, within ``HTTPLimits``.
struct BoundedHTTPChannel: HTTPChannelHandler {
    typealias Value = HTTP1Channel.Value

    let responder: Responder
    let limits: HTTPLimits
    let budget: ConnectionBudget
    let certificates: TLSCertificates?
    let onExpiry: @Sendable (ConnectionDeadline.Limit) -> Void

    /// The most bytes that are taken of a connection before the others of its event loop have their turn.
    static let largestRead = 32 << 10

    /// Never fails: a connection that cannot be set up would end the listener with it.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        // 1. Is there room? If not, the connection is set up as any other and closed at once.
        let isAdmitted = budget.admit(channel)
        // 2. The time starts, before TLS.
        let timer = ConnectionTimer(limits: limits, eventLoop: channel.eventLoop)
        let bound = NIOLoopBound(timer, eventLoop: channel.eventLoop)
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestProgressHandler(timer: bound.value)], idleTimeout: nil,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerFields))
        let http = HTTP1Channel(responder: responder, configuration: configuration)
        return channel.eventLoop.makeCompletedFuture {
            // A connection that sends much takes its turn with those that send little: one small read a turn.
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 4096, maximum: Self.largestRead))
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(
                ArrivalHandler(timer: bound.value, onExpiry: onExpiry) { [budget] in budget.clientLeft(channel) })
            // 3. TLS by the certificate of today.
            if let certificates {
                try pipeline.addHandler(NIOSSLServerHandler(context: certificates.context()))
            }
        }.flatMap {
            // 4. HTTP.
            http.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestHeadHandler(), position: .before(codec))
            if !isAdmitted { channel.close(promise: nil) }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        budget.beginHandling(value.channel)
        defer { budget.endHandling(value.channel) }
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
