import Core
import Foundation
import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import ServerHTTP

/// A JWK set as received from its address.
struct FetchedKeySet: Sendable, Hashable {
    let bytes: Data
    /// The seconds for which it may be cached, if the answer specifies them.
    let maximumAge: Int?
}

/// The reason that keys could not be fetched. It is not reported to the client, because it would reveal the internal
/// network.
enum KeySetFetchError: String, CodedError, Hashable {
    case refusedAddress = "key-set-address-refused"
    case unreachable = "key-set-unreachable"
    case refusedAnswer = "key-set-answer-refused"
    case timeout = "key-set-timeout"
    case busy = "key-set-busy"

    var code: String { rawValue }
    var message: String { "The client's keys could not be fetched." }
}

/// Fetches the keys of clients from their registered addresses.
///
/// The host name is resolved once, all its addresses are checked, and the connection uses one of them. Redirects are
/// not followed. Time and bytes are limited.
struct KeySetFetcher: Sendable {
    /// Whether loopback addresses are allowed.
    let allowsLoopback: Bool
    /// Resolves a host name.
    var resolve: @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress] = KeySetFetcher.systemAddresses
    /// The trusted root certificates.
    var trust: NIOSSLTrustRoots = .default
    /// The time for the whole fetch, including name resolution.
    var deadline: TimeAmount = .seconds(8)
    /// Maximum bytes of an answer; a longer one is refused.
    static let largestAnswer = 65_536

    func fetch(_ url: RegisteredURL) async throws -> FetchedKeySet {
        guard url.isKeySet(allowingLoopback: allowsLoopback) else { throw KeySetFetchError.refusedAddress }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let answer = loop.makePromise(of: FetchedKeySet.self)
        let timeout = loop.scheduleTask(in: deadline) { answer.fail(KeySetFetchError.timeout) }
        let port = url.port ?? (url.scheme == "https" ? 443 : 80)
        let resolve = resolve
        let found = NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try resolve(url.host, port) }
        found.flatMapThrowing { try pinned($0, of: url) }
            .flatMap { connect(to: $0, url: url, on: loop, answer: answer) }
            .whenFailure { error in answer.fail(error is KeySetFetchError ? error : KeySetFetchError.unreachable) }
        defer { timeout.cancel() }
        return try await answer.futureResult.get()
    }

    /// Returns the address to connect to, if all addresses of the name are allowed.
    func pinned(_ addresses: [SocketAddress], of url: RegisteredURL) throws -> SocketAddress {
        let isLocal = allowsLoopback && url.isLoopback
        for address in addresses {
            guard let text = address.ipAddress, let ip = IPAddress(text),
                isLocal ? ip.isLoopback : OutsideAddress.isPublic(ip)
            else { throw KeySetFetchError.refusedAddress }
        }
        guard let first = addresses.first else { throw KeySetFetchError.unreachable }
        return first
    }

    private func connect(
        to address: SocketAddress, url: RegisteredURL, on loop: any EventLoop,
        answer: EventLoopPromise<FetchedKeySet>
    ) -> EventLoopFuture<Void> {
        ClientBootstrap(group: loop).connectTimeout(.seconds(4))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if url.scheme == "https" {
                        var configuration = TLSConfiguration.makeClientConfiguration()
                        configuration.trustRoots = trust
                        configuration.minimumTLSVersion = .tlsv12
                        let context = try NIOSSLContext(configuration: configuration)
                        let host = IPAddress(url.host) == nil ? url.host : nil
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: host))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(KeySetAnswerHandler(url, answer))
                }
            }.connect(to: address).map { channel in
                // Also closes a connection that hangs at the deadline.
                answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
            }
    }

    private static let systemAddresses: @Sendable (String, Int) throws -> [SocketAddress] = { host, port in
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { throw KeySetFetchError.unreachable }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next, found.count < 32 {
            next = entry.pointee.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
                    NI_NUMERICHOST) == 0
            else { continue }
            let ip = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if let address = try? SocketAddress(ipAddress: ip, port: port) { found.append(address) }
        }
        return found
    }
}

/// Sends the request and reads the answer.
private final class KeySetAnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let url: RegisteredURL
    private let answer: EventLoopPromise<FetchedKeySet>
    private var head: HTTPResponseHead?
    private var body = Data()

    init(_ url: RegisteredURL, _ answer: EventLoopPromise<FetchedKeySet>) {
        self.url = url
        self.answer = answer
    }

    func channelActive(context: ChannelHandlerContext) {
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        let headers: HTTPHeaders = [
            "Host": host + (url.port.map { ":\($0)" } ?? ""), "Accept": "application/json", "Connection": "close",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.target, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard head.status == .ok else { return answer.fail(KeySetFetchError.refusedAnswer) }
            self.head = head
        case .body(let part):
            guard body.count + part.readableBytes <= KeySetFetcher.largestAnswer else {
                return answer.fail(KeySetFetchError.refusedAnswer)
            }
            body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let head else { return answer.fail(KeySetFetchError.refusedAnswer) }
            answer.succeed(
                FetchedKeySet(bytes: body, maximumAge: Self.maximumAge(head.headers[canonicalForm: "cache-control"])))
        }
    }

    func channelInactive(context: ChannelHandlerContext) { answer.fail(KeySetFetchError.unreachable) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(KeySetFetchError.unreachable)
        context.close(promise: nil)
    }

    /// Returns the maximum age of `Cache-Control` (RFC 9111 section 5.2.2); nil if it has none.
    private static func maximumAge(_ directives: [Substring]) -> Int? {
        let words = directives.map { $0.lowercased().filter { $0 != " " && $0 != "\"" } }
        if words.contains(where: { $0 == "no-store" || $0 == "no-cache" }) { return 0 }
        return words.lazy.compactMap { $0.hasPrefix("max-age=") ? Int($0.dropFirst(8)) : nil }.first
    }
}
