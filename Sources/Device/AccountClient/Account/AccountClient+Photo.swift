import Core
import Foundation
import HTTPTransport
import ResearchResults

/// The bytes of a photo or of an image, with their media type.
public struct AccountImage: Sendable, Hashable {
    /// The bytes.
    public let bytes: Data
    /// `image/jpeg` or `image/png`.
    public let mediaType: String

    /// Reads an image; nil if it is neither JPEG nor PNG.
    public init?(_ bytes: Data) {
        guard ConsentFile.isSignatureImage(bytes) else { return nil }
        self.bytes = bytes
        mediaType = bytes.first == 0xFF ? "image/jpeg" : "image/png"
    }
}

extension AccountClient {
    /// Reads the photo of the account (CMHealth: `fetchProfileImage`); nil if there is none.
    public func photo() async throws -> AccountImage? { try await image("me/photo") }

    /// Saves a photo, JPEG or PNG (CMHealth: `uploadProfileImage:`).
    ///
    /// - Throws: as ``AccountClient`` describes; `file-invalid` (706) for another format or too many bytes.
    public func savePhoto(_ bytes: Data) async throws {
        guard bytes.count <= limits.fileBytes, let image = AccountImage(bytes) else {
            throw AccountClientError(.fileInvalid)
        }
        var request = AccountRequest("PUT", path: "me/photo", kind: .file)
        request.headers["Content-Type"] = image.mediaType
        request.body = image.bytes
        _ = try await send(request)
    }

    /// Reads an image; nil if the server has none.
    func image(_ path: String) async throws -> AccountImage? {
        let response = try await send(AccountRequest("GET", path: path, kind: .fetch))
        if response.status == 204 { return nil }
        guard response.body.count <= limits.fileBytes, let image = AccountImage(response.body) else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        return image
    }
}
