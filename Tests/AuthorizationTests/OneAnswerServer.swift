import NIOCore
import NIOPosix
import NIOSSL
import TestSupport

/// Listens on the loopback interface and answers each request with the same bytes; without bytes it does not answer.
struct OneAnswerServer {
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    static func start(
        _ answer: String, certificate: TestCertificates.Pair? = nil
    ) async throws -> OneAnswerServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let certificate {
                        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificate.utf8))
                        let key = try NIOSSLPrivateKey(bytes: Array(certificate.key.utf8), format: .pem)
                        let context = try NIOSSLContext(
                            configuration: .makeServerConfiguration(
                                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(Handler(answer))
                }
            }.bind(host: "127.0.0.1", port: 0).get()
        return OneAnswerServer(channel: channel)
    }

    func stop() async throws { try await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String

        init(_ answer: String) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !answer.isEmpty else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        }
    }
}
