import NIOCore
import NIOHTTP1

/// Checks properties of a request's head that the shared HTTP types do not keep: it has exactly one `Host` (RFC 9112
/// section 3.2). A request of HTTP/1.0 may have none, and its `Expect` is ignored (RFC 9110 section 10.1.1).
///
/// The handler is between the HTTP decoder and the codec of the shared types. A wrong head is reported like a head that
/// cannot be parsed: the connection answers 400 and ends.
final class RequestHeadHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        let isHTTP10 = head.version.major == 1 && head.version.minor == 0
        guard Self.isAccepted(hosts: head.headers["host"], isHTTP10: isHTTP10) else {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            return
        }
        if isHTTP10, head.headers.contains(name: "expect") {
            head.headers.remove(name: "expect")
            context.fireChannelRead(wrapInboundOut(.head(head)))
        } else {
            context.fireChannelRead(data)
        }
    }

    static func isAccepted(hosts: [String], isHTTP10: Bool) -> Bool {
        guard let host = hosts.first else { return isHTTP10 }
        return hosts.count == 1 && !host.isEmpty && host.utf8.allSatisfy(isOfHost)
    }

    /// Whether a byte is a character of a host and port (RFC 3986 section 3.2.2). The comma is excluded, because it
    /// joins two values.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~:[]%!$&'()*+;=".utf8.contains(byte)
        }
    }
}

@available(*, unavailable)
extension RequestHeadHandler: Sendable {}
