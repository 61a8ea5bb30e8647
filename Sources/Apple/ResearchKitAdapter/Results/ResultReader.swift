#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchKitForms
    import ResearchResults

    #if canImport(ResearchKit_Private)
        import ResearchKit_Private
    #endif

    /// Creates ResearchKit's objects of results in JSON.
    struct ResultReader {
        private(set) var unconverted: [UnconvertedPart] = []
        private(set) var origins: [ObjectIdentifier: ResultOrigin] = [:]
        private var path = ResultPath()

        /// Returns the object of a result, with the results in it.
        ///
        /// - Throws: ``ResearchKitForms/SurveyResultError`` with the location, if a member has a value of the wrong type.
        mutating func object(_ result: SurveyResult) throws(SurveyResultError) -> ORKResult {
            let members = ResultMembers(object: result.object, location: path.text())
            let object = try created(result, from: members)
            if let start = result.startDate { object.startDate = start.start() }
            if let end = result.endDate { object.endDate = end.start() }
            try readUserInfo(members, of: object)
            if let collection = object as? ORKCollectionResult, result["results"] != nil {
                var children: [ORKResult] = []
                for (index, child) in result.results.enumerated() {
                    path.enter(index)
                    children.append(try self.object(child))
                    path.leave()
                }
                collection.results = children
            }
            var writer = ResultWriter(for: .storage)
            origins[ObjectIdentifier(object)] = ResultOrigin(
                object: object, read: result.object, written: writer.members(object))
            return object
        }

        private mutating func readUserInfo(_ members: ResultMembers, of object: ORKResult) throws(SurveyResultError) {
            guard ResultClass(rawValue: className(members)) != nil else {
                // The members of an unknown class are its own.
                object.userInfo = members.object["userInfo"]?.object.flatMap(ResultValues.dictionary)
                return
            }
            guard let info = try members.members("userInfo") else { return }
            object.userInfo = ResultValues.dictionary(info.object)
            if object.userInfo == nil { report("userInfo", of: members) }
        }

        private func className(_ members: ResultMembers) -> String { members.object["_class"]?.string ?? "" }

        /// Reports the class of a result, or a member of it, that the object does not have.
        mutating func report(_ member: String? = nil, of members: ResultMembers) {
            unconverted.append(
                UnconvertedPart(location: path.text(member), className: className(members), member: member))
        }

        private mutating func created(
            _ result: SurveyResult, from members: ResultMembers
        ) throws(SurveyResultError) -> ORKResult {
            let known = ResultClass(rawValue: result.className)
            if known == nil { report(of: members) }
            switch known ?? ResultClass.superclass(of: result.className) {
            case .result: return ORKResult(identifier: result.identifier)
            case .collection: return ORKCollectionResult(identifier: result.identifier)
            case .task: return try task(members, identifier: result.identifier)
            case .step: return try step(members, identifier: result.identifier)
            case .file:
                let file = ORKFileResult(identifier: result.identifier)
                file.contentType = try members.text("contentType")
                file.fileName = try members.text("fileName")
                return file
            case .consentSignature: return try consentSignature(members, identifier: result.identifier)
            case .signature:
                let signature = ORKSignatureResult(identifier: result.identifier)
                if let paths = try members.elements("signaturePath") {
                    signature.signaturePath = try SignaturePath.paths(
                        paths, at: "\(members.location).signaturePath")
                }
                return signature
            case let question: return try self.question(question, from: members, identifier: result.identifier)
            }
        }

        private mutating func task(
            _ members: ResultMembers, identifier: String
        ) throws(SurveyResultError) -> ORKTaskResult {
            guard let run = try members.text("taskRunUUID").flatMap({ UUID(text: $0) }) else {
                throw members.malformed("taskRunUUID")
            }
            #if canImport(ResearchKit_Private)
                if let device = try members.members("device") {
                    return ORKTaskResult(
                        taskIdentifier: identifier, taskRun: run, outputDirectory: nil,
                        device: ORKDevice(
                            product: try device.text("product") ?? "", osVersion: try device.text("osVersion") ?? "",
                            osBuild: try device.text("osBuild") ?? "", platform: try device.text("platform") ?? ""))
                }
            #else
                if try members.members("device") != nil { report("device", of: members) }
            #endif
            return ORKTaskResult(taskIdentifier: identifier, taskRun: run, outputDirectory: nil)
        }

        private mutating func step(
            _ members: ResultMembers, identifier: String
        ) throws(SurveyResultError) -> ORKStepResult {
            // The results are set afterwards: the initialiser takes copies.
            let step = ORKStepResult(stepIdentifier: identifier, results: nil)
            // Only ResearchKit sets this property.
            if let technology = try members.text("enabledAssistiveTechnology"),
                technology != step.enabledAssistiveTechnology
            {
                report("enabledAssistiveTechnology", of: members)
            }
            if let isPrevious = try members.flag("isPreviousResult") {
                #if canImport(ResearchKit_Private)
                    step.isPreviousResult = isPrevious
                #else
                    if isPrevious { report("isPreviousResult", of: members) }
                #endif
            }
            return step
        }

        private func consentSignature(
            _ members: ResultMembers, identifier: String
        ) throws(SurveyResultError) -> ORKConsentSignatureResult {
            let result = ORKConsentSignatureResult(identifier: identifier)
            result.consented = try members.flag("consented") ?? false
            guard let parts = try members.members("signature") else { return result }
            let signature = ORKConsentSignature(
                forPersonWithTitle: try parts.text("title"),
                dateFormatString: try parts.text("signatureDateFormatString"),
                identifier: try parts.text("identifier") ?? "")
            signature.givenName = try parts.text("givenName")
            signature.familyName = try parts.text("familyName")
            signature.signatureDate = try parts.text("signatureDate")
            signature.requiresName = try parts.flag("requiresName") ?? true
            signature.requiresSignatureImage = try parts.flag("requiresSignatureImage") ?? true
            result.signature = signature
            return result
        }
    }
#endif
