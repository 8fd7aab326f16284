// Makes the picture of the README: unsaved text, an agent's edit beside it, its marks.
//
//   E2E_TOOLS=… E2E_PATCHLS=… E2E_EXTENSION=… node picture.mjs vscode.png
import { Window } from "./window.mjs";

const menu = `package menu

// Dish is what the kitchen makes.
type Dish struct {
	Name  string
	Price int
}

// Total is what the guests have to pay.
func Total(dishes []Dish) int {
	sum := 0
	for i := 0; i < len(dishes); i++ {
		sum += dishes[i].Price
	}
	return sum
}
`;

const window = await Window.open({
  files: { "menu.go": menu, "menu.txt": "soup\nbread\ntea\n" },
  settings: { "editor.fontSize": 15, "workbench.colorTheme": "Default Dark Modern" },
  viewport: { width: 1120, height: 700 },
});
try {
  await window.found();
  const path = window.path("menu.go");
  await window.do("goto", { path, line: 16, column: 0 });
  await window.do("type", { text: "\n// The user is still typing this, and has not saved it: gue" });
  await window.call("str_replace", {
    path: "menu.go",
    old_str: "for i := 0; i < len(dishes); i++ {\n\t\tsum += dishes[i].Price",
    new_str: "for _, dish := range dishes {\n\t\tsum += dish.Price",
  });
  await window.call("str_replace", { path: "menu.go", old_str: "\tPrice int\n", new_str: "\tPrice int // in cents\n" });
  await window.call("str_replace", { path: "menu.txt", old_str: "bread", new_str: "dark bread" });
  await window.do("type", { text: "sts eat" });
  await window.until("the tab of the other file", async () => {
    return (await window.do("text", { path: window.path("menu.txt") })).tab;
  });
  await window.do("screenshot", { file: process.argv[2] });
} finally {
  await window.close();
}
