// Writes what an assembly's instructions call: `mono Calls.exe ASSEMBLY ROOT`, with ASSEMBLY.mdb beside it.
// Lines of tab-separated words, lines 1-based:
//   M number type name parameters path line    a method; path and line are empty where it has no instructions
//   T type base base ...                        a type and what it extends and implements, of the assembly
//   C caller path first last name number type   a call in these lines, of a method of the assembly by its number, or of
//                                               one of an outside type
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.CompilerServices.SymbolWriter;

static class Calls
{
    static void Main (string[] words)
    {
        var module = ModuleDefinition.ReadModule (words[0]);
        var root = Path.GetFullPath (words[1]).TrimEnd ('/') + "/";
        var symbols = MonoSymbolFile.ReadSymbolFile (words[0] + ".mdb");
        foreach (var type in module.GetTypes ()) {
            var bases = new List<TypeReference> (type.Interfaces.Select (each => each.InterfaceType));
            if (type.BaseType != null) bases.Add (type.BaseType);
            Console.WriteLine ("T\t" + Named (type) + string.Concat (bases.Select (each => "\t" + Named (each))));
            foreach (var method in type.Methods) {
                var entries = Entries (symbols, method);
                string path = "", line = "";
                if (entries.Count > 0) {
                    path = Within (root, PathOf (symbols, method));
                    line = entries[0].Row.ToString ();
                }
                Console.WriteLine (string.Join ("\t", "M", Token (method), Named (type), method.Name, string.Join (",", method.Parameters.Select (each => Bare (each.ParameterType))), path, line));
                if (method.HasBody) Write (method, entries, path);
            }
        }
    }

    static void Write (MethodDefinition method, List<LineNumberEntry> entries, string path)
    {
        foreach (var instruction in method.Body.Instructions) {
            var called = instruction.Operand as MethodReference;
            if (called == null) continue;
            var before = entries.LastOrDefault (each => each.Offset <= instruction.Offset);
            if (before == null) continue;
            MethodDefinition found = null;
            try { found = called.Resolve (); } catch (AssemblyResolutionException) { }
            var isInside = found != null && found.Module == method.Module;
            var row = before.Row;
            var last = Math.Max (before.EndRow, row);
            Console.WriteLine (string.Join ("\t", "C", Token (method), path, row, last, Written (called, method, instruction.OpCode.Code),
                isInside ? Token (found) : "", isInside ? "" : Named (called.DeclaringType)));
        }
    }

    static List<LineNumberEntry> Entries (MonoSymbolFile symbols, MethodDefinition method)
    {
        var entry = symbols.GetMethodByToken ((int) method.MetadataToken.ToUInt32 ());
        if (entry == null) return new List<LineNumberEntry> ();
        return entry.GetLineNumberTable ().LineNumbers.Where (each => !each.IsHidden && each.Row > 0 && each.Row < 0xf00000).ToList ();
    }

    static string PathOf (MonoSymbolFile symbols, MethodDefinition method)
    {
        return symbols.GetMethodByToken ((int) method.MetadataToken.ToUInt32 ()).CompileUnit.SourceFile.FileName;
    }

    static string Within (string root, string path) { return path.StartsWith (root) ? path.Substring (root.Length) : path; }
    static string Bare (TypeReference type) { return type.IsGenericParameter ? "*" : type.GetElementType ().Name; }
    static string Token (MethodDefinition method) { return method.MetadataToken.ToUInt32 ().ToString (); }
    static string Named (TypeReference type) { return type.GetElementType ().FullName; }

    static string Written (MethodReference called, MethodDefinition caller, Code code)
    {
        if (called.Name != ".ctor") return called.Name.Split ('.').Last ();
        if (code == Code.Newobj) return called.DeclaringType.Name.Split ('`')[0];
        return Named (called.DeclaringType) == Named (caller.DeclaringType) ? "this" : "base";
    }
}
