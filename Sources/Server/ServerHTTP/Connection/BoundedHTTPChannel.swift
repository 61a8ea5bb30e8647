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

    /// Maximum bytes that one read takes from a connection before the event loop serves others.
    static let largestRead = 32 << 10

    /// Never fails: the failure of one connection would end the listener.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        // 1. Is the number of connections below the limit? If not, the connection is set up as any other and closed at
        //   once.
        let isAdmitted = budget.admit(channel)
        // 2. Start the timer, before TLS.
        let timer = ConnectionTimer(limits: limits, eventLoop: channel.eventLoop)
        let bound = NIOLoopBound(timer, eventLoop: channel.eventLoop)
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestProgressHandler(timer: bound.value)], idleTimeout: nil,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                maxHeaderFieldCount: limits.headerFields))
        let http = HTTP1Channel(responder: responder, configuration: configuration)
        return channel.eventLoop.makeCompletedFuture {
            // One small read a turn: a connection that sends much shares the event loop fairly with those that send
            // little.
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 4096, maximum: Self.largestRead))
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(
                ArrivalHandler(timer: bound.value, onExpiry: onExpiry) { [budget] in budget.clientLeft(channel) })
            // 3. TLS with the current certificate.
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
