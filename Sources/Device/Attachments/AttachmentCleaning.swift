import Core
import Crypto
import Foundation

/// Removes from a resource's attachments everything that identifies the author, the time, the location or the device.
///
/// JPEG and PNG files keep format, size, colour and orientation (``CleanedImage``). File names, links to files and
/// creation times are removed; `size` and `hash` are computed again. Files that cannot be cleaned, such as PDF and
/// HEIC, are refused, unless the form's item takes attachments as they are. A phone applies this rule before it seals
/// anything, and the study's server applies it to everything it receives, so that both keep the same rule.
///
/// ```swift
/// let clean = try AttachmentCleaning(asIs: form.attachmentsAsIs).cleaned(response.object)
/// ```
public struct AttachmentCleaning: Sendable, Hashable {
    /// The linkIds of the form's items that take attachments as they are (`urn:tributary:attachment-as-is`). File names
    /// are removed there too.
    public var asIs: Set<String>
    /// The limits of pictures.
    public var limits: ImageLimits

    /// Creates the rule. Without arguments, every attachment must be one that can be cleaned.
    public init(asIs: Set<String> = [], limits: ImageLimits = ImageLimits()) {
        self.asIs = asIs
        self.limits = limits
    }

    /// The parts removed from an attachment, or the reason that it cannot be cleaned.
    public struct Finding: Sendable, Hashable {
        /// The element, such as `QuestionnaireResponse.item[0].answer[0].valueAttachment.title`. It contains only
        /// FHIR's own names.
        public let element: String
        /// The kinds of metadata that the picture contained.
        public var metadata: Set<ImageMetadata> = []
        /// Why the attachment cannot be cleaned; nil if it was cleaned.
        public var error: AttachmentError?
    }

    /// A resource with its attachments cleaned as far as possible.
    public struct Outcome: Sendable, Hashable {
        /// The resource. Attachments that cannot be cleaned are unchanged.
        public let object: JSONObject
        /// The removed parts, and the attachments that cannot be cleaned.
        public let findings: [Finding]
    }

    /// Returns the resource with clean attachments.
    ///
    /// - Throws: ``AttachmentError`` of the first one that cannot be cleaned.
    public func cleaned(_ resource: JSONObject) throws(AttachmentError) -> JSONObject {
        let outcome = clean(resource)
        if let error = outcome.findings.lazy.compactMap(\.error).first { throw error }
        return outcome.object
    }

    /// Cleans everything that can be cleaned, and reports the findings. The time is linear in the size of the resource.
    public func clean(_ resource: JSONObject) -> Outcome {
        let type = resource["resourceType"]?.string ?? ""
        let root = AttachmentElement.isName(type) ? type : "Resource"
        let source = Source(type)
        var findings: [Finding] = []
        // The enclosing items of an element, each with its depth in the path.
        var items: [(depth: Int, linkID: String)] = []
        let changed = ElementRewriting.rewritten(resource) { element, path in
            while let last = items.last, last.depth >= path.count { items.removeLast() }
            if let linkID = element["linkId"]?.string { items.append((path.count, linkID)) }
            guard AttachmentElement.isAttachment(element, at: path) else { return false }
            let elementPath = path.written(from: root, known: AttachmentElement.isName)
            let takesAsIs = items.last.map { asIs.contains($0.linkID) } ?? false
            return clean(&element, at: elementPath, from: source, takesAsIs: takesAsIs, &findings)
        }
        return Outcome(object: changed ?? resource, findings: findings)
    }

    /// The author of a resource's attachments.
    private enum Source {
        /// The person, on a phone.
        case person
        /// A hospital. Its documents are not changed: they are admitted only if the consent names them.
        case hospital
        /// The study, in the text that is signed.
        case study

        init(_ resourceType: String) {
            self =
                switch resourceType {
                case "DiagnosticReport", "DocumentReference": .hospital
                case "Contract": .study
                default: .person
                }
        }
    }

    /// Cleans one attachment. Returns whether it was changed.
    private func clean(
        _ attachment: inout JSONObject, at elementPath: String, from source: Source, takesAsIs: Bool,
        _ findings: inout [Finding]
    ) -> Bool {
        var isChanged = false
        let data = attachment["data"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        if source == .person {
            for name in ["title", "creation"] where attachment.remove(name) {
                findings.append(Finding(element: "\(elementPath).\(name)"))
                isChanged = true
            }
            // A link next to the data repeats the file's name. A link without data is all there is of the file.
            if data != nil, attachment.remove("url") {
                findings.append(Finding(element: "\(elementPath).url"))
                isChanged = true
            }
        }
        guard let data else {
            if source == .person, !takesAsIs, attachment["url"] != nil {
                let error = AttachmentError(
                    .notCleanable,
                    "The attachment is a link, so its file cannot be cleaned. Send the file's data as JPEG or PNG."
                )
                findings.append(Finding(element: "\(elementPath).url", error: error))
            }
            return isChanged
        }
        // 1. Detect the format from the bytes.
        let image: CleanedImage
        do throws(AttachmentError) {
            let bytes = try decoded(data)
            if source == .study, FileKind(bytes) == .text { return isChanged }
            image = try CleanedImage(bytes, limits: limits)
        } catch {
            guard source != .hospital, !takesAsIs else { return isChanged }
            findings.append(Finding(element: "\(elementPath).data", error: error))
            return isChanged
        }
        // 2. Write the clean picture and the members that describe it.
        guard !takesAsIs else { return isChanged }
        if !image.removed.isEmpty { findings.append(Finding(element: "\(elementPath).data", metadata: image.removed)) }
        return put(image, in: &attachment, replacing: data) || isChanged
    }

    /// Writes the picture if its bytes differ from the attachment's data. Returns whether the attachment was changed.
    private func put(_ image: CleanedImage, in attachment: inout JSONObject, replacing data: String) -> Bool {
        var isChanged = false
        let written = Data(image.bytes).base64EncodedString()
        if !image.removed.isEmpty, written != data {
            attachment["data"] = .string(written)
            if attachment["size"] != nil { attachment["size"] = .number(JSONNumber(image.bytes.count)) }
            if attachment["hash"] != nil {
                // FHIR's hash is SHA-1 (https://hl7.org/fhir/R4/datatypes-definitions.html#Attachment.hash).
                let digest = Data(Insecure.SHA1.hash(data: Data(image.bytes)))
                attachment["hash"] = .string(digest.base64EncodedString())
            }
            isChanged = true
        }
        // The bytes decide the media type.
        let declared = attachment["contentType"]?.string?.prefix { $0 != ";" }.lowercased()
        if let declared, declared != image.format.rawValue {
            attachment["contentType"] = .string(image.format.rawValue)
            isChanged = true
        }
        return isChanged
    }

    private func decoded(_ data: String) throws(AttachmentError) -> [UInt8] {
        guard data.utf8.count / 4 * 3 <= limits.bytes + 3 else {
            throw AttachmentError(.tooLarge, "The file exceeds the limit of \(limits.bytes) bytes.")
        }
        let isBroken = data.utf8.contains { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let text = isBroken ? data.filter { !$0.isWhitespace } : data
        guard let bytes = Data(base64Encoded: text) else {
            throw AttachmentError(.damaged, "The attachment's data is not base64. Attach the file again.")
        }
        return Array(bytes)
    }
}

extension JSONObject {
    /// Removes a member and its extensions (the member with `_`). Returns whether either was there.
    fileprivate mutating func remove(_ name: String) -> Bool {
        let isThere = self[name] != nil || self["_" + name] != nil
        self[name] = nil
        self["_" + name] = nil
        return isThere
    }
}
