import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Outbox

/// A ``Outbox/Transport`` that trusts a private certificate authority in addition to the system's. URLSession on Linux
/// does not support that.
///
/// It uses one connection for each request, TLS 1.2 or later, and answers of limited size. It follows redirects only
/// for GET, and only within the same scheme, host and port.
struct AuthorityTransport: Transport {
    private let context: NIOSSLContext
    private let deadline: TimeAmount = .seconds(300)
    private let idle: TimeAmount = .seconds(30)
    private static let largestAnswer = 64 << 20
    private static let redirects = 5

    /// - Parameter pem: the certificates of the authority, in PEM.
    /// - Throws: ``CommandError`` `certificate-authority-invalid`.
    init(authority pem: String) throws {
        do {
            let certificates = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
            guard !certificates.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            configuration.additionalTrustRoots = [.certificates(certificates)]
            configuration.applicationProtocols = ["http/1.1"]
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CommandError(
                "certificate-authority-invalid", "The file of --ca contains no certificate in PEM (BEGIN CERTIFICATE).")
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        for _ in 0...Self.redirects {
            let response = try await sendOnce(request)
            guard request.method == "GET", [301, 302, 303, 307, 308].contains(response.status),
                let target = response.headers["location"].flatMap({ URL(string: $0, relativeTo: request.url) })?
                    .absoluteURL, target.origin == request.url.origin
            else { return response }
            request.url = target
        }
        throw OutboxError(.answerInvalid, "The server at \(request.url.origin) redirects too often.")
    }

    private func sendOnce(_ request: TransportRequest) async throws -> TransportResponse {
        guard let host = request.url.host(percentEncoded: false) else {
            throw OutboxError(.urlInvalid, "The address names no host.")
        }
        let isSecure = request.url.scheme?.lowercased() == "https"
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let answer = loop.makePromise(of: TransportResponse.self)
        let timeout = loop.scheduleTask(in: deadline) { answer.fail(ChannelError.connectTimeout(deadline)) }
        defer { timeout.cancel() }
        let (context, idle) = (context, idle)
        ClientBootstrap(group: loop).connectTimeout(idle).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if isSecure {
                    // An IP address is not a server name of TLS; the certificate is checked against the connection's
                    // address instead.
                    let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
                    try pipeline.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host))
                }
                try pipeline.addHandler(IdleStateHandler(allTimeout: idle))
                try pipeline.addHTTPClientHandlers()
                try pipeline.addHandler(
                    TransportAnswerHandler(request, host: host, largest: Self.largestAnswer, answer))
            }
        }.connect(host: host, port: request.url.port ?? (isSecure ? 443 : 80)).whenComplete { result in
            switch result {
            case .success(let channel): answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
            case .failure(let error): answer.fail(error)
            }
        }
        do {
            return try await withTaskCancellationHandler {
                try await answer.futureResult.get()
            } onCancel: {
                answer.fail(CancellationError())
            }
        } catch let error as OutboxError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Self.failure(error, at: request.url)
        }
    }

    private static func failure(_ error: any Error, at url: URL) -> OutboxError {
        let words = String(describing: error)
        if words.contains("CERTIFICATE_VERIFY_FAILED") {
            return .certificateUntrusted(url.origin, "neither the system nor the authority given vouches for it")
        }
        if words.contains("failedToValidateHostname") || words.contains("unableToValidateCertificate") {
            return .certificateUntrusted(url.origin, "it is of another host")
        }
        return OutboxError(
            .connectionFailed, "The server at \(url.origin) cannot be reached, or the connection broke.")
    }
}

/// Sends the request of a connection and reads its answer.
private final class TransportAnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: TransportRequest
    private let host: String
    private let largest: Int
    private let answer: EventLoopPromise<TransportResponse>
    private var head: HTTPResponseHead?
    private var body = Data()

    init(_ request: TransportRequest, host: String, largest: Int, _ answer: EventLoopPromise<TransportResponse>) {
        self.request = request
        self.host = host
        self.largest = largest
        self.answer = answer
    }

    func channelActive(context: ChannelHandlerContext) {
        var headers = HTTPHeaders()
        let name = host.contains(":") ? "[\(host)]" : host
        headers.add(name: "Host", value: name + (request.url.port.map { ":\($0)" } ?? ""))
        headers.add(name: "Connection", value: "close")
        for (name, value) in request.headers { headers.replaceOrAdd(name: name, value: value) }
        if request.body != nil || request.method != "GET" {
            headers.replaceOrAdd(name: "Content-Length", value: String(request.body?.count ?? 0))
        }
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        let path = parts?.percentEncodedPath ?? ""
        let target = (path.isEmpty ? "/" : path) + (parts?.percentEncodedQuery.map { "?" + $0 } ?? "")
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method), uri: target, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body = request.body, !body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let part):
            guard body.count + part.readableBytes <= largest else {
                return answer.fail(OutboxError(.answerInvalid, "The server's answer has more than \(largest) bytes."))
            }
            body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let head else { return answer.fail(ChannelError.eof) }
            let headers = Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
            answer.succeed(TransportResponse(status: Int(head.status.code), headers: headers, body: body))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { answer.fail(ChannelError.eof) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) { answer.fail(ChannelError.eof) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }
}
