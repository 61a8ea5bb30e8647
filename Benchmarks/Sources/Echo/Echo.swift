import Hummingbird

/// The receiver's HTTP server without the receiver: it answers each POST with the body that came.
///
/// Prints `listening on http://127.0.0.1:PORT` once it is ready.
@main
struct Echo {
    static func main() async throws {
        let router = Router()
        router.post("**") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 24)
            return Response(status: .ok, body: ResponseBody(byteBuffer: body))
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print("listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
                standardOutput.flush()
            })
        try await application.runService()
    }

    private static let standardOutput = StandardOutput()
}
