import Core
import Hummingbird
import NIOCore

/// The context of a request for its route: whose it is, and the id under which it is logged.
public struct ServerRequestContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The address that counts, see ``ClientAddress``.
    public internal(set) var client: ClientAddress
    /// 32 hexadecimal digits, made here and told in `X-Request-Id`.
    public let requestID: String
    /// The connection that it came on.
    let connection: ObjectIdentifier
    /// The outcome of the request, told outwards by the routes.
    public let outcome = RequestOutcome()

    /// The connection, for the interim answer before a body.
    let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        channel = source.channel
        coreContext = CoreRequestContextStorage(source: source)
        connection = ObjectIdentifier(source.channel)
        client = ClientAddress(source.channel.remoteAddress.flatMap(IPAddress.init))
        var generator = SystemRandomNumberGenerator()
        requestID = ServerRequestContext.identifier(generator.next(), generator.next())
        logger[metadataKey: "hb.request.id"] = nil
        logger[metadataKey: "request"] = .string(requestID)
    }

    public var id: String { requestID }

    static func identifier(_ high: UInt64, _ low: UInt64) -> String {
        Hexadecimal.text(high) + Hexadecimal.text(low)
    }
}
