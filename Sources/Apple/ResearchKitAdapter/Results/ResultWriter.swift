#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchKitForms

    #if canImport(ResearchKit_Private)
        import ResearchKit_Private
    #endif

    /// Writes results of ResearchKit as JSON.
    struct ResultWriter {
        enum Purpose {
            /// The answers of a form: with the URLs of files, under the names of ResearchKit's own classes.
            case form
            /// Saving: files and images are listed separately.
            case storage
        }

        private let purpose: Purpose
        private let origins: [ObjectIdentifier: ResultOrigin]
        private var path = ResultPath()
        private var count = 0
        private var files: [SerializedResult.ResultFile] = []
        private var images: [SerializedResult.ResultImage] = []
        private var unconverted: [UnconvertedPart] = []
        /// The first limit that a result exceeds. Results after it are not written.
        private var fault: SurveyResultError?

        /// - Parameter origins: the JSON of the objects that were read.
        init(for purpose: Purpose, origins: [ObjectIdentifier: ResultOrigin] = [:]) {
            self.purpose = purpose
            self.origins = origins
        }

        func serialized(_ result: ORKResult) throws(SurveyResultError) -> SerializedResult {
            var writer = self
            let object = writer.object(result)
            if let fault = writer.fault { throw fault }
            return SerializedResult(
                result: try SurveyResult(json: .object(object)), files: writer.files, images: writer.images,
                unconverted: writer.unconverted)
        }

        /// Returns the members of a result and of the results in it.
        mutating func object(_ result: ORKResult) -> JSONObject {
            count += 1
            if count > SurveyResult.maximumResults { stop(.tooMany) }
            if path.depth >= SurveyResult.maximumDepth { stop(.tooDeep) }
            var members = members(result)
            if let origin = origins[ObjectIdentifier(result)] {
                members = origin.merged(members)
            } else if String(describing: Swift.type(of: result)) != ResultClass(result).name {
                report(String(describing: Swift.type(of: result)))
            }
            guard let collection = result as? ORKCollectionResult, fault == nil else { return members }
            var children: [JSON] = []
            for (index, child) in (collection.results ?? []).enumerated() {
                path.enter(index)
                children.append(.object(object(child)))
                path.leave()
                if fault != nil { break }
            }
            if !children.isEmpty || members["results"]?.array != nil || origins[ObjectIdentifier(result)] == nil {
                members["results"] = .array(children)
            }
            return members
        }

        private mutating func stop(_ reason: SurveyResultError.Reason) {
            if fault == nil { fault = SurveyResultError(reason: reason, location: path.text()) }
        }

        mutating func report(_ className: String, member: String? = nil) {
            unconverted.append(UnconvertedPart(location: path.text(member), className: className, member: member))
        }

        /// Returns the members of a result without the results in it.
        mutating func members(_ result: ORKResult) -> JSONObject {
            var members = JSONObject()
            members["_class"] = .string(className(result))
            members["identifier"] = .string(result.identifier)
            members["startDate"] = ResultValues.json(time: result.startDate)
            members["endDate"] = ResultValues.json(time: result.endDate)
            if purpose == .storage, let info = result.userInfo {
                members["userInfo"] = written(ResultValues.json(dictionary: info), as: "userInfo", of: result)
            }
            switch result {
            case let task as ORKTaskResult:
                members["taskRunUUID"] = .string(task.taskRunUUID.uuidString)
                if purpose == .storage { members["device"] = Self.device(of: task) }
            case let step as ORKStepResult where purpose == .storage:
                members["enabledAssistiveTechnology"] = step.enabledAssistiveTechnology.map(JSON.string)
                #if canImport(ResearchKit_Private)
                    members["isPreviousResult"] = .bool(step.isPreviousResult)
                #endif
            case let question as ORKQuestionResult: add(question, to: &members)
            case let file as ORKFileResult: add(file, to: &members)
            case let signature as ORKConsentSignatureResult: add(signature, to: &members)
            case let signature as ORKSignatureResult: add(signature, to: &members)
            default: break
            }
            return members
        }

        /// Returns the JSON of a member, and reports a member that has none.
        mutating func written(_ json: JSON?, as member: String, of result: ORKResult) -> JSON? {
            if json == nil { report(className(result), member: member) }
            return json
        }

        /// The name that is written: for an app's own subclass that of ResearchKit's class.
        private func className(_ result: ORKResult) -> String {
            let known = ResultClass(result)
            let own = String(describing: Swift.type(of: result))
            switch purpose {
            case .storage: return own.hasPrefix("ORK") || known == .result ? own : known.name
            case .form: return known.isForForms ? known.name : own
            }
        }

        private static func device(of task: ORKTaskResult) -> JSON? {
            #if canImport(ResearchKit_Private)
                // ResearchKit declares that there is a device, but results of earlier versions have none.
                let device: ORKDevice? = task.device
                guard let device else { return nil }
                var members = JSONObject()
                members["_class"] = "ORKDevice"
                members["product"] = device.product.map(JSON.string)
                members["osVersion"] = device.osVersion.map(JSON.string)
                members["osBuild"] = device.osBuild.map(JSON.string)
                members["platform"] = device.platform.map(JSON.string)
                return .object(members)
            #else
                return nil
            #endif
        }

        private mutating func add(_ file: ORKFileResult, to members: inout JSONObject) {
            members["contentType"] = file.contentType.map(JSON.string)
            members["fileName"] = file.fileName.map(JSON.string)
            guard let url = file.fileURL else { return }
            switch purpose {
            case .form: members["fileURL"] = .string(url.absoluteString)
            case .storage:
                files.append(
                    SerializedResult.ResultFile(location: path.text(), identifier: file.identifier, url: url))
            }
        }

        private mutating func add(_ result: ORKConsentSignatureResult, to members: inout JSONObject) {
            if let signature = result.signature {
                var object = JSONObject()
                object["_class"] = "ORKConsentSignature"
                object["identifier"] = .string(signature.identifier)
                object["title"] = signature.title.map(JSON.string)
                object["givenName"] = signature.givenName.map(JSON.string)
                object["familyName"] = signature.familyName.map(JSON.string)
                object["signatureDate"] = signature.signatureDate.map(JSON.string)
                object["signatureDateFormatString"] = signature.signatureDateFormatString.map(JSON.string)
                object["requiresName"] = .bool(signature.requiresName)
                object["requiresSignatureImage"] = .bool(signature.requiresSignatureImage)
                members["signature"] = .object(object)
                add(signature.signatureImage, of: result)
            }
            members["consented"] = .bool(result.consented)
        }

        private mutating func add(_ result: ORKSignatureResult, to members: inout JSONObject) {
            if let path = result.signaturePath {
                members["signaturePath"] = written(SignaturePath.json(path), as: "signaturePath", of: result)
            }
            add(result.signatureImage, of: result)
        }

        private mutating func add(_ image: UIImage?, of result: ORKResult) {
            guard let image else { return }
            images.append(
                SerializedResult.ResultImage(location: path.text(), identifier: result.identifier, image: image))
        }
    }
#endif
