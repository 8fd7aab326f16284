package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
)

// mutant is one fault: bytes of a file, and what stands there instead.
type mutant struct {
	pkg      *pkg
	file     string
	line     int // from 1
	from, to int // bytes
	with     string
	kind     string
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.kind) }

// source returns the file with the fault.
func (m mutant) source() ([]byte, error) {
	src, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	return slices.Concat(src[:m.from], []byte(m.with), src[m.to:]), nil
}

// draw returns the faults of all packages in an order drawn by r. Each line of code is as likely to come first as any
// other, however many faults it can have.
func draw(pkgs []*pkg, r *rand.Rand) ([]mutant, error) {
	type place struct {
		file string
		line int
	}
	byLine := map[place][]mutant{}
	for _, p := range pkgs {
		for _, file := range p.files() {
			all, err := faults(p, file)
			if err != nil {
				return nil, err
			}
			for _, m := range all {
				at := place{m.file, m.line}
				byLine[at] = append(byLine[at], m)
			}
		}
	}
	var drawn []mutant
	for _, all := range byLine {
		slices.SortFunc(all, func(a, b mutant) int { return cmp.Or(a.from-b.from, cmp.Compare(a.kind, b.kind)) })
		drawn = append(drawn, all[0])
	}
	slices.SortFunc(drawn, func(a, b mutant) int { return cmp.Or(cmp.Compare(a.file, b.file), a.line-b.line) })
	for i, m := range drawn {
		all := byLine[place{m.file, m.line}]
		drawn[i] = all[r.IntN(len(all))]
	}
	r.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return drawn, nil
}

// opposites are the operators that stand for others.
var opposites = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.ADD: token.SUB, token.SUB: token.ADD, token.LAND: token.LOR, token.LOR: token.LAND,
}

// faults returns the faults that the functions of a file can have.
func faults(p *pkg, file string) (all []mutant, err error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return files.Position(p).Offset }
	text := func(n ast.Node) string { return string(src[at(n.Pos()):at(n.End())]) }
	add := func(from, to token.Pos, with, kind string) {
		all = append(all, mutant{p, file, files.Position(from).Line, at(from), at(to), with, kind})
	}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if o, ok := opposites[n.Op]; ok {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), o.String(), fmt.Sprintf("%s for %s in %s", o, n.Op, text(n)))
			}
			if n.Op == token.LAND || n.Op == token.LOR {
				add(n.Pos(), n.End(), text(n.X), "only "+text(n.X)+" of "+text(n))
				add(n.Pos(), n.End(), text(n.Y), "only "+text(n.Y)+" of "+text(n))
			}
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				add(n.Pos(), n.X.Pos(), "", "without the ! of "+text(n))
			}
		case *ast.IfStmt:
			add(n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")", "not "+text(n.Cond))
		case *ast.BasicLit:
			if i, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
				add(n.Pos(), n.End(), strconv.Itoa(i+1), fmt.Sprintf("%d for %d", i+1, i))
			}
		case *ast.ExprStmt:
			add(n.Pos(), n.End(), "", "without "+text(n))
		case *ast.IncDecStmt:
			add(n.Pos(), n.End(), "", "without "+text(n))
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				add(n.Pos(), n.End(), "", "without "+text(n))
			}
		case *ast.BranchStmt:
			if n.Tok == token.CONTINUE && n.Label == nil {
				add(n.Pos(), n.End(), "", "without continue")
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				if len(n.List) > 1 && e != n.List[len(n.List)-1] {
					add(e.Pos(), n.List[slices.Index(n.List, e)+1].Pos(), "", "without the case "+text(e))
				}
			}
		}
		return true
	}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			ast.Inspect(f.Body, visit)
		}
	}
	return all, nil
}
