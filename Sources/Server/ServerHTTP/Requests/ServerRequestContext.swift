import Core
import Hummingbird
import NIOCore

/// The context of a request for its route: the client's address, and the id under which the request is logged.
package struct ServerRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The address that the request is attributed to, see ``ClientAddress``.
    package internal(set) var client: ClientAddress
    /// Whether no one on a network can read the request: it came by TLS, or from this machine.
    package internal(set) var isConfidential: Bool
    /// 32 hexadecimal digits, generated here and returned in `X-Request-Id`.
    package let requestID: String
    /// The connection of the request.
    let connection: ObjectIdentifier
    /// The outcome of the request, reported by the routes.
    package let outcome = RequestOutcome()

    /// The channel of the connection, for the interim answer before a body.
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        channel = source.channel
        coreContext = CoreRequestContextStorage(source: source)
        connection = ObjectIdentifier(source.channel)
        client = ClientAddress(source.channel.remoteAddress.flatMap(IPAddress.init))
        isConfidential = client.isThisMachine
        var generator = SystemRandomNumberGenerator()
        requestID = ServerRequestContext.identifier(generator.next(), generator.next())
        logger[metadataKey: "hb.request.id"] = nil
        logger[metadataKey: "request"] = .string(requestID)
    }

    package var id: String { requestID }

    static func identifier(_ high: UInt64, _ low: UInt64) -> String {
        Hexadecimal.text(high) + Hexadecimal.text(low)
    }
}
